public import ArgumentParser

/// A number of bytes on the command line or in a topology file: `4194304`, `512KiB`, `64MiB`, `1GiB`.
///
/// Whole numbers only, and at most 2⁶² bytes; capital letters make no difference.
public struct SizeArgument: ExpressibleByArgument, Hashable, Sendable, CustomStringConvertible {
    /// The number of bytes.
    public let bytes: Int

    private static let units: [(suffix: String, shift: Int)] = [("KiB", 10), ("MiB", 20), ("GiB", 30)]

    /// Wraps a number of bytes, which is not negative.
    public init(bytes: Int) {
        precondition(bytes >= 0, "A size is not negative.")
        self.bytes = bytes
    }

    /// Parses the text; nil when it is not a size.
    public init?(argument: String) {
        let text = argument.lowercased()
        let unit = Self.units.first { text.hasSuffix($0.suffix.lowercased()) }
        let digits = unit.map { text.dropLast($0.suffix.count) } ?? text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(digits), number <= (1 << 62) >> (unit?.shift ?? 0)
        else { return nil }
        bytes = number << (unit?.shift ?? 0)
    }

    /// The shortest text that parses back: `64MiB`, `1536KiB`, `1000`.
    public var description: String {
        guard bytes > 0, let unit = Self.units.last(where: { bytes % (1 << $0.shift) == 0 }) else { return "\(bytes)" }
        return "\(bytes >> unit.shift)\(unit.suffix)"
    }

    /// As printed in `--help`.
    public var defaultValueDescription: String { description }

    /// The valid forms, for messages.
    public static let expectation = "a size such as 4MiB, 512KiB or a number of bytes"
}
