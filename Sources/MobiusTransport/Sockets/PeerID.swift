/// The routing id of one of a ROUTER socket's peers.
///
/// The ones that libzmq generates have 5 bytes; a peer may choose its own of 1…255. Up to 15 bytes are held in place,
/// so the usual ones cost no allocation and compare as two words.
@frozen
public struct PeerID: Hashable, Sendable, CustomStringConvertible {
    /// The most bytes that an id can have.
    public static let maximumLength = 255

    // 15 bytes and their number, or zeroes and 255 when `overflow` holds the bytes.
    @usableFromInline var words: (UInt64, UInt64)
    @usableFromInline var overflow: [UInt8]?

    /// An empty id: the value of a variable before the first message.
    public init() {
        words = (0, 0)
        overflow = nil
    }

    /// Makes an id from its bytes, or `nil` when there are none or more than ``maximumLength``.
    public init?(_ bytes: [UInt8]) {
        guard (1...Self.maximumLength).contains(bytes.count) else { return nil }
        self = bytes.withUnsafeBytes { PeerID(copying: $0) }
    }

    /// Copies at most 255 bytes.
    init(copying bytes: UnsafeRawBufferPointer) {
        words = (0, 0)
        if bytes.count <= Self.inlineCapacity {
            overflow = nil
            withUnsafeMutableBytes(of: &words) { inline in
                inline.copyMemory(from: bytes)
                inline[Self.inlineCapacity] = UInt8(bytes.count)
            }
        } else {
            overflow = Array(bytes)
            withUnsafeMutableBytes(of: &words) { $0[Self.inlineCapacity] = Self.overflowMark }
        }
    }

    static let inlineCapacity = 15
    private static let overflowMark: UInt8 = 255

    /// Its size in bytes; 0 for an empty id.
    public var count: Int {
        if let overflow { return overflow.count }
        return Swift.withUnsafeBytes(of: words) { Int($0[Self.inlineCapacity]) }
    }

    /// A copy of its bytes.
    public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Lends its bytes for the time of the call.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let overflow { return overflow.withUnsafeBytes(body) }
        return Swift.withUnsafeBytes(of: words) { inline in
            body(UnsafeRawBufferPointer(rebasing: inline[..<Int(inline[Self.inlineCapacity])]))
        }
    }

    /// Whether both name the same peer.
    @inlinable
    public static func == (lhs: PeerID, rhs: PeerID) -> Bool {
        lhs.words == rhs.words && lhs.overflow == rhs.overflow
    }

    /// Feeds its bytes to a hasher.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        if let overflow { hasher.combine(overflow) }
    }

    /// Its bytes in hexadecimal, for logs; `none` for an empty id.
    public var description: String {
        guard count > 0 else { return "none" }
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
