/// 128 random bits that name one thing of kind `Kind` for good.
///
/// The parameter only keeps two kinds of names apart: it is never made into a value.
public struct RandomID<Kind>: Hashable, Sendable, CustomStringConvertible {
    /// The upper 64 bits.
    public let high: UInt64
    /// The lower 64 bits.
    public let low: UInt64

    /// Makes a name from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Draws a new name.
    public static func random(using generator: inout some RandomNumberGenerator) -> Self {
        Self(high: generator.next(), low: generator.next())
    }

    /// 32 hexadecimal digits.
    public var description: String { Self.hexadecimal(high) + Self.hexadecimal(low) }

    /// Reads what ``description`` prints; `nil` for anything else.
    public init?(_ description: String) {
        let digits = Array(description.utf8)
        guard digits.count == 32 else { return nil }
        var words: [UInt64] = [0, 0]
        for (position, digit) in digits.enumerated() {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            words[position / 16] = words[position / 16] << 4 | UInt64(value)
        }
        self.init(high: words[0], low: words[1])
    }

    private static func hexadecimal(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The kind of ``Incarnation``.
public enum WorkerProcess {}

/// The kind of ``JournalID``.
public enum Journal {}

/// One run of a worker process, drawn anew at each start.
public typealias Incarnation = RandomID<WorkerProcess>

/// One journal, drawn when it is made: epochs and effects of different journals must not be compared.
public typealias JournalID = RandomID<Journal>
