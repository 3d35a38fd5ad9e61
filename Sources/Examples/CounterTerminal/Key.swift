/// A key of the counter's commands.
public enum Key: Sendable, Hashable {
    /// `+`: one more.
    case plus
    /// `-`: one less.
    case minus
    /// `p`: pause, or continue.
    case pause
    /// `q`: quit.
    case quit

    /// The key of a typed byte; nil for others, such as line breaks.
    public init?(byte: UInt8) {
        switch byte {
        case UInt8(ascii: "+"): self = .plus
        case UInt8(ascii: "-"): self = .minus
        case UInt8(ascii: "p"), UInt8(ascii: "P"): self = .pause
        case UInt8(ascii: "q"), UInt8(ascii: "Q"): self = .quit
        default: return nil
        }
    }
}
