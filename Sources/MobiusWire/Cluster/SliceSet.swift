/// Slices of the loops of a cluster, each of which is in one shard.
///
/// A loop's name alone says its slice, for ever; which shard has a slice may change. Slices are numbered from 0 to 1,023.
public struct SliceSet: Hashable, Sendable {
    /// The number of all slices.
    public static let slices = 1024
    /// The length of ``bytes``.
    public static let length = slices / 8

    /// All slices.
    public static let all = SliceSet(0..<slices)

    /// All slices in so many parts of the same size, or one more.
    ///
    /// - Parameter count: From 1 to ``slices``.
    package static func parts(_ count: Int) -> [SliceSet] {
        (0..<count).map { SliceSet($0 * slices / count..<($0 + 1) * slices / count) }
    }

    /// Slice N is bit N % 64 of word N / 64.
    private var words = [UInt64](repeating: 0, count: slices / 64)

    /// A set without slices.
    public init() {}

    /// The slices of a range, as far as they exist.
    public init(_ range: Range<Int>) {
        for slice in range.clamped(to: 0..<Self.slices) { insert(slice) }
    }

    /// Reads ``bytes``; `nil` for another length.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        for (position, byte) in bytes.enumerated() { words[position / 8] |= UInt64(byte) << (8 * (position % 8)) }
    }

    /// The slice of a loop: the FNV-1a hash of 64 bits of its name's UTF-8, modulo 1,024.
    ///
    /// Source: G. Fowler, L. C. Noll, K.-P. Vo and D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm".
    public static func slice(of loop: LoopID) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in loop.name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return Int(hash % UInt64(slices))
    }

    /// The set as bytes: slice N is bit N % 8 of byte N / 8.
    public var bytes: [UInt8] { words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } } }

    /// Whether it has no slice.
    public var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    /// The number of slices in it.
    public var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// Whether it has a slice; `false` for one that does not exist.
    public func contains(_ slice: Int) -> Bool {
        slice >= 0 && slice < Self.slices && words[slice / 64] & (1 << (slice % 64)) != 0
    }

    /// Whether it has the slice of a loop.
    public func contains(_ loop: LoopID) -> Bool { contains(Self.slice(of: loop)) }

    /// Adds a slice, which must exist.
    public mutating func insert(_ slice: Int) { words[slice / 64] |= 1 << (slice % 64) }

    /// Removes a slice, which must exist.
    public mutating func remove(_ slice: Int) { words[slice / 64] &= ~(1 << (slice % 64)) }

    /// Its slices as ranges, in order, such as `0..<512`.
    public var ranges: [Range<Int>] {
        var ranges: [Range<Int>] = []
        for slice in 0..<Self.slices where contains(slice) {
            if let last = ranges.last, last.upperBound == slice {
                ranges[ranges.count - 1] = last.lowerBound..<slice + 1
            } else {
                ranges.append(slice..<slice + 1)
            }
        }
        return ranges
    }
}
