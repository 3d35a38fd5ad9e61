import MobiusCodec
import MobiusJournal
import MobiusProgram
import MobiusWire

/// A loop's state after one event, not yet bytes: encoding happens on the journal thread, from a copy-on-write copy.
struct LoopSnapshot<Model: Codable & Sendable>: Sendable {
    let loop: LoopID
    let model: Model
    let coding: TypedCoding<Model>
    let sequence: UInt64
    let pending: [PendingEffect]

    /// - Throws: for a model that cannot be coded, such as one with a number that is none.
    func encoded() throws(CodingFailure) -> Snapshot {
        let payload = try coding.encode(model)
        return Snapshot(
            loop: loop, sequence: sequence, model: payload, hash: FNV1a.hash(payload.bytes), pending: pending)
    }
}

/// When to make a snapshot: once replaying what came since the last one outweighs writing a new one.
///
/// So the work per event stays the same on average, however large the model grows.
package struct SnapshotPolicy {
    /// How many bytes of events are worth a snapshot at least, in the product.
    package static let minimumBytes = 16 << 20
    static let weight = 4

    private let minimumBytes: Int
    private var lastBytes: Int
    /// How many bytes of payload came since the last snapshot began.
    private(set) var tailBytes: Int
    private var isUnderWay = false
    private var hasFailed = false
    /// Whether anything was appended since the last snapshot began.
    private(set) var hasNews = false

    /// Begins behind a snapshot of so many bytes, after which so many were replayed.
    init(lastBytes: Int, tailBytes: Int = 0, minimumBytes: Int = Self.minimumBytes) {
        self.minimumBytes = minimumBytes
        self.lastBytes = lastBytes
        self.tailBytes = tailBytes
    }

    var isDue: Bool { !isUnderWay && tailBytes >= max(minimumBytes, Self.weight * lastBytes) }

    mutating func appended(bytes: Int) {
        tailBytes += bytes
        hasNews = true
    }

    mutating func begin() {
        isUnderWay = true
        tailBytes = 0
        hasNews = false
    }

    mutating func saved(bytes: Int) {
        isUnderWay = false
        lastBytes = bytes
    }

    /// No snapshot could be made: the next is tried after as many bytes again.
    ///
    /// - Returns: whether that is so for the first time.
    mutating func failed() -> Bool {
        isUnderWay = false
        defer { hasFailed = true }
        return !hasFailed
    }
}
