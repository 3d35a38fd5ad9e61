/// The value of one fact of a loop: what queries compare and indexes sort.
///
/// In JSON it is a scalar: `true`, `100`, `1.5`, `"text"`. A time is its text, `"2026-12-01T10:00:00.000Z"`; a text that is
/// exactly such a time is read as one.
public enum FactValue: Hashable, Sendable {
    /// Yes or no; no comes first.
    case bool(Bool)
    /// A whole number.
    case integer(Int64)
    /// Any other number; only finite ones can be facts, as in JSON.
    case number(Double)
    /// A text, compared by its first 256 bytes of UTF-8.
    case text(String)
    /// A point in time.
    case time(WallTime)
}

extension FactValue: CustomStringConvertible {
    /// The value as people read it: a text without quotes, a time in UTC.
    public var description: String {
        switch self {
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .text(let value): value
        case .time(let value): value.text
        }
    }
}

extension FactValue: Codable {
    /// Writes a scalar.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .time(let value): try container.encode(value.text)
        }
    }

    /// Reads a scalar; a whole number is ``integer(_:)`` if it fits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else {
            let text = try container.decode(String.self)
            self = WallTime(text: text).map(FactValue.time) ?? .text(text)
        }
    }
}
