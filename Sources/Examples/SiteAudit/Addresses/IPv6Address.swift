/// An IPv6 address in the form that RFC 5952 recommends.
struct IPv6Address {
    private let groups: [UInt16]

    /// Reads the text between the brackets: eight groups, `::` for zeros, perhaps an IPv4 address at the end.
    init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let gap = text.firstIndex(of: ":").flatMap({ _ in Self.gap(in: text) }) else {
            guard let all = Self.groups(text[...]), all.count == 8 else { return nil }
            groups = all
            return
        }
        guard let front = Self.groups(text[..<gap]), let back = Self.groups(text[gap...].dropFirst(2)) else {
            return nil
        }
        guard front.count + back.count < 8 else { return nil }
        groups = front + [UInt16](repeating: 0, count: 8 - front.count - back.count) + back
    }

    /// The shortest form, in lower case.
    var text: String {
        let hexadecimal = groups.map { String($0, radix: 16) }
        guard let zeros = longestZeros else { return hexadecimal.joined(separator: ":") }
        return hexadecimal[..<zeros.lowerBound].joined(separator: ":") + "::"
            + hexadecimal[zeros.upperBound...].joined(separator: ":")
    }

    /// The first of the longest runs of two or more zero groups.
    private var longestZeros: Range<Int>? {
        var longest = 0..<0
        var start: Int?
        for index in 0...8 {
            if index < 8, groups[index] == 0 {
                start = start ?? index
            } else if let begin = start {
                if index - begin > longest.count { longest = begin..<index }
                start = nil
            }
        }
        return longest.count > 1 ? longest : nil
    }

    private static func gap(in text: String) -> String.Index? {
        zip(text.indices, zip(text, text.dropFirst())).first { $0.1.0 == ":" && $0.1.1 == ":" }?.0
    }

    private static func groups(_ text: Substring) -> [UInt16]? {
        if text.isEmpty { return [] }
        var result: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains(".") {
                guard let pair = embedded(part) else { return nil }
                result += pair
            } else {
                guard 1...4 ~= part.utf8.count, part.allSatisfy(\.isHexDigit), let group = UInt16(part, radix: 16)
                else {
                    return nil
                }
                result.append(group)
            }
        }
        return result.count <= 8 ? result : nil
    }

    private static func embedded(_ text: Substring) -> [UInt16]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.count <= 3 ? UInt8($0) : nil }
        guard parts.count == 4, numbers.count == 4 else { return nil }
        return [UInt16(numbers[0]) << 8 | UInt16(numbers[1]), UInt16(numbers[2]) << 8 | UInt16(numbers[3])]
    }
}
