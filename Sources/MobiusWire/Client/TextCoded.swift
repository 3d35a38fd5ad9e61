/// A value whose JSON is a text.
protocol TextCoded: Codable {
    /// The text; ``init(text:)`` reads it.
    var text: String { get }

    /// Reads a text; `nil` when it is none of this type.
    init?(text: String)
}

extension TextCoded {
    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// Reads the text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(text: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is no \(Self.self).")
        }
        self = value
    }
}

extension LoopID: TextCoded {
    var text: String { name }

    init?(text: String) { self.init(text) }
}

extension EffectID: TextCoded {
    var text: String { description }

    init?(text: String) { self.init(text) }
}

extension RandomID: TextCoded {
    var text: String { description }

    init?(text: String) { self.init(text) }
}

extension Attempt: TextCoded {
    /// `epoch.number`, as it is on the workers' wire.
    var text: String { "\(epoch).\(number)" }

    init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let epoch = UInt64(digits: parts[0]), let number = UInt32(digits: parts[1]) else {
            return nil
        }
        self.init(epoch: epoch, number: number)
    }
}

extension HistoryPlace: TextCoded {
    /// `sequence.part`.
    package var text: String { "\(sequence).\(part)" }

    /// Reads `sequence.part`, or `sequence` for an event.
    package init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let sequence = UInt64(digits: parts[0]),
            let part = UInt32(digits: parts.count == 2 ? parts[1] : "0")
        else { return nil }
        self.init(sequence: sequence, part: part)
    }
}

extension SliceSet: TextCoded {
    /// 256 hexadecimal digits: slice N is bit N % 8 of byte N / 8.
    var text: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    init?(text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.utf8.count, digits.count == 2 * Self.length else { return nil }
        self.init(bytes: stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
