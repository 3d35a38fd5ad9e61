import Foundation

/// The inputs that are kept: a file for each decoder, with a line of hexadecimal digits for each input.
struct Corpus {
    let decoder: Decoder
    let folder: URL

    private var file: URL { folder.appending(path: decoder.rawValue + ".hex") }

    /// All inputs; none when there is no file.
    func inputs() throws -> [[UInt8]] {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        return try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { line in
            guard let bytes = Self.bytes(line) else { throw CocoaError(.fileReadCorruptFile) }
            return bytes
        }
    }

    /// Keeps these: short ones first.
    func write(_ inputs: [[UInt8]]) throws {
        let sorted = Set(inputs).sorted {
            ($0.count, $0.map(Self.hex).joined()) < ($1.count, $1.map(Self.hex).joined())
        }
        let text = sorted.map { $0.map(Self.hex).joined() + "\n" }.joined()
        try Data(text.utf8).write(to: file)
    }

    private static func hex(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16)
        return text.count == 1 ? "0" + text : text
    }

    private static func bytes(_ line: Substring) -> [UInt8]? {
        let digits = line.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            let (high, low) = (digits[index] ?? 0, digits[index + 1] ?? 0)
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}
