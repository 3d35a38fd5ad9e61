package import MobiusWire

/// A key that consists of a part that many consecutive keys share, and a number.
///
/// A peer must not choose the number, because it could then give many keys the same hash.
package protocol SlotKey: Hashable, Sendable {
    /// The hash of the shared part.
    var familyHash: UInt64 { get }
    /// The number among the keys with that part.
    var member: UInt64 { get }
}

/// A value of a ``SlotTable``.
package protocol SlotValue: Equatable, Sendable {
    /// The placeholder for an entry that was taken out.
    static var nothing: Self { get }

    /// Releases the memory of a removed entry's value.
    mutating func reset()
}

extension SlotValue {
    package mutating func reset() { self = .nothing }
}

extension SlotKey {
    package var familyHash: UInt64 { UInt64(bitPattern: Int64(hashValue)) }
    package var member: UInt64 { 0 }
}

extension String: SlotKey {}
extension ExactText: SlotKey {}
extension LoopID: SlotKey {}
extension RandomID: SlotKey {}
extension Peer: SlotKey {}
extension AttemptID: SlotKey {
    package var familyHash: UInt64 { effect.familyHash }
    package var member: UInt64 { effect.member }
}
extension EffectID: SlotKey {
    // A loop id stores its name's hash.
    package var familyHash: UInt64 { UInt64(loop.hash) }
    package var member: UInt64 { sequence ^ UInt64(index) &* 0x9E37_79B9_7F4A_7C18 }
}

/// The places of the rows of a ``SlotTable``, by the hashes of their keys.
struct SlotIndex<Key: SlotKey>: Sendable {
    /// A hash and a row's place plus one, or 0: open addressing, at most half full, its length a power of two.
    private var cells: [(hash: UInt32, place: UInt32)] = Array(repeating: (0, 0), count: 8)
    private(set) var count = 0

    @inline(__always)
    static func hash(of key: Key) -> UInt32 {
        let (family, member) = (key.familyHash, key.member)
        // Eight consecutive members share a cache line.
        let product = (family ^ member >> 3).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return UInt32(truncatingIfNeeded: (product.high ^ product.low) & ~7 | (family &+ member) & 7)
    }

    /// An iteration over the places with one hash.
    struct Search {
        fileprivate let hash: UInt32
        fileprivate var position: Int
    }

    @inline(__always)
    func search(for hash: UInt32) -> Search { Search(hash: hash, position: Int(hash)) }

    /// The next place with the hash.
    @inline(__always)
    func next(_ search: inout Search) -> UInt32? {
        while true {
            let cell = cells[search.position & (cells.count - 1)]
            guard cell.place != 0 else { return nil }
            search.position &+= 1
            if cell.hash == search.hash { return cell.place - 1 }
        }
    }

    mutating func insert(_ place: UInt32, hash: UInt32) {
        count += 1
        if count * 2 > cells.count { grow() }
        put((hash, place + 1))
    }

    private mutating func put(_ cell: (hash: UInt32, place: UInt32)) {
        let mask = cells.count - 1
        var position = Int(cell.hash) & mask
        while cells[position].place != 0 { position = (position + 1) & mask }
        cells[position] = cell
    }

    private mutating func grow() {
        let before = cells
        cells = Array(repeating: (0, 0), count: 2 * before.count)
        for cell in before where cell.place != 0 { put(cell) }
    }

    /// Forgets all places, and keeps the memory.
    mutating func removeAll() {
        for position in cells.indices { cells[position] = (0, 0) }
        count = 0
    }

    mutating func remove(_ place: UInt32, hash: UInt32) {
        let mask = cells.count - 1
        var hole = Int(hash) & mask
        while cells[hole].place != place + 1 { hole = (hole + 1) & mask }
        count -= 1
        // Later cells whose home is at or before the hole move up, so that no tombstones are needed.
        var next = (hole + 1) & mask
        while cells[next].place != 0 {
            if (next - Int(cells[next].hash)) & mask >= (next - hole) & mask {
                cells[hole] = cells[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        cells[hole] = (0, 0)
    }
}
