import Foundation

/// What differs and is meant to: the table in the documentation of `JSONCodec`.
enum KnownDifference {
    /// A number that has no form, within nested containers: Foundation leaves these out of its path.
    static func isShorterPath<Value>(_ ours: Outcome<Value>, _ foundations: Outcome<Value>) -> Bool {
        guard let (what, path) = parts(ours), let (other, shorter) = parts(foundations), what == other else {
            return false
        }
        var rest = shorter[...]
        for step in path where step == rest.first { rest = rest.dropFirst() }
        return rest.isEmpty && shorter.count < path.count
    }

    private static func parts<Value>(_ outcome: Outcome<Value>) -> (what: Substring, path: [Substring])? {
        guard case .failure(let text) = outcome, let at = text.range(of: " has no form at ") else { return nil }
        return (text[..<at.lowerBound], text[at.upperBound...].split(separator: "."))
    }

    /// Of several mistakes in a dictionary's values ours reports the first; Foundation's goes by hashes.
    static func isAnotherMistake<Value>(
        _ ours: Outcome<Value>, _ foundations: Outcome<Value>, type: any Any.Type
    ) -> Bool {
        guard case .failure = ours, case .failure = foundations else { return false }
        // Those have dictionaries within.
        return ["Dictionary", "OddKeys", "Tree", "Shape", "Everything"].contains { "\(type)".contains($0) }
    }

    /// Foundation reads UTF-16 and UTF-32, which it tells by zeros among the first bytes.
    static func isAnotherEncoding(_ bytes: [UInt8]) -> Bool { bytes.prefix(4).contains(0) }

    /// The text with `1.5` in place of integers with a fraction or an exponent whose digits are more than a double's, if it
    /// has any: ours are exact, Foundation's go through a double or a decimal, which rounds what is no integer and refuses
    /// what is large.
    static func withoutInexactIntegers(_ bytes: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        for part in bytes.split(omittingEmptySubsequences: false, whereSeparator: { !isOfNumber($0) }) {
            result += isInexact(part) ? Array("1.5".utf8) : Array(part)
            if part.endIndex < bytes.endIndex { result.append(bytes[part.endIndex]) }
        }
        return result == bytes ? nil : result
    }

    /// The text without numbers as keys that are spelled in an unusual way (`"02"`, `"+2"`), if it has any: of two keys that
    /// are one number the last counts for ours, and any for Foundation's, which goes by hashes.
    static func withoutUnusualKeys(_ bytes: [UInt8]) -> [UInt8]? {
        var result = bytes
        for index in bytes.indices.dropFirst(2) where isDigit(bytes[index]) {
            let (sign, first) = (bytes[index - 2], bytes[index - 1])
            let isAtStart = sign == UInt8(ascii: "\"") || sign == UInt8(ascii: "-")
            let isUnusual = first == UInt8(ascii: "0") || first == UInt8(ascii: "+")
            if isAtStart, isUnusual { result[index - 1] = UInt8(ascii: "9") }
        }
        return result == bytes ? nil : result
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isOfNumber(_ byte: UInt8) -> Bool { "0123456789+-.eE".utf8.contains(byte) }

    private static func isInexact(_ number: ArraySlice<UInt8>) -> Bool {
        guard number.contains(where: { ".eE".utf8.contains($0) }),
            let double = Double(String(decoding: number, as: UTF8.self))
        else { return false }
        return abs(double) < 1e-300 || abs(double) > 1e15 || number.count(where: isDigit) > 15
    }
}
