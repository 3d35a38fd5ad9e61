import MobiusCodec
import MobiusCore
import MobiusJournal
import MobiusWire

/// A loop's state after one event, not yet encoded: the journal thread encodes it, from a copy-on-write copy.
struct LoopSnapshot<Program: LoopProgram>: Sendable {
    let loop: LoopID
    let model: Program.Model
    let calls: ProgramCalls<Program>
    let breadcrumbs: (any Breadcrumbs)?
    let sequence: UInt64
    let pending: [PendingEffect]

    /// Encodes the model, on the journal thread.
    ///
    /// - Throws: `CodingFailure` for a model that cannot be encoded, such as one that contains NaN.
    func encoded() throws(CodingFailure) -> Snapshot {
        let payload = try calls.encode(model, of: loop, breadcrumbs.map { $0.trail(.journal) })
        return Snapshot(
            loop: loop, sequence: sequence, model: payload, hash: FNV1a.hash(payload.bytes), pending: pending)
    }
}

/// Decides when to make a snapshot: once replaying the events since the last one costs more than writing a new one.
///
/// The average work per event therefore does not depend on the size of the model.
package struct SnapshotPolicy {
    /// The minimum number of event bytes between snapshots in production: 16 MiB.
    package static let minimumBytes = 16 << 20
    /// A snapshot is due after events of this many times the last snapshot's size.
    static let weight = 4
    /// The most event bytes behind the snapshot of a loop that leaves memory, unless its model has more.
    private static let leavingBytes = 4096

    private let minimumBytes: Int
    private var lastBytes: Int
    /// The payload bytes appended since the last snapshot began.
    private(set) var tailBytes: Int
    private var isUnderWay = false
    private var hasFailed = false
    /// Whether anything was appended since the last snapshot began.
    private(set) var hasUnsavedEvents = false

    /// Begins with the size of the last snapshot and of the events replayed after it, in bytes.
    init(lastBytes: Int, tailBytes: Int = 0, minimumBytes: Int = Self.minimumBytes) {
        self.minimumBytes = minimumBytes
        self.lastBytes = lastBytes
        self.tailBytes = tailBytes
    }

    var isDue: Bool { !isUnderWay && tailBytes >= max(minimumBytes, Self.weight * lastBytes) }

    /// Whether a loop that leaves memory needs a new snapshot: not for the few events that its return replays at once.
    ///
    /// A snapshot for each visit would write more pages than all else.
    var isDueOnLeaving: Bool { tailBytes >= max(min(minimumBytes, Self.leavingBytes), lastBytes) }

    mutating func appended(bytes: Int) {
        tailBytes += bytes
        hasUnsavedEvents = true
    }

    mutating func begin() {
        isUnderWay = true
        tailBytes = 0
        hasUnsavedEvents = false
    }

    mutating func saved(bytes: Int) {
        isUnderWay = false
        lastBytes = bytes
    }

    /// No snapshot could be made; the next attempt follows after as many event bytes as before.
    ///
    /// - Returns: whether this is the loop's first failure.
    mutating func failed() -> Bool {
        isUnderWay = false
        defer { hasFailed = true }
        return !hasFailed
    }
}
