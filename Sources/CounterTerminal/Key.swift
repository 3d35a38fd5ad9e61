/// A key that the counter's commands know.
public enum Key: Sendable, Hashable {
    /// `+`: one more.
    case plus
    /// `-`: one less.
    case minus
    /// `p`: pause, or go on.
    case pause
    /// `q`, and Ctrl-D: quit.
    case quit

    /// The key of a byte that was typed; nil for those that mean nothing, such as line breaks.
    public init?(byte: UInt8) {
        switch byte {
        case UInt8(ascii: "+"): self = .plus
        case UInt8(ascii: "-"): self = .minus
        case UInt8(ascii: "p"), UInt8(ascii: "P"): self = .pause
        // Ctrl-D is a character like any other when the terminal hands out keys at once.
        case UInt8(ascii: "q"), UInt8(ascii: "Q"), 0x04: self = .quit
        default: return nil
        }
    }
}
