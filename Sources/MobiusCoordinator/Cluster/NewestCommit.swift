import MobiusJournal
import MobiusWire
import Synchronization

/// The newest event that this process has seen committed, to find out whether its database still has it.
///
/// A database that fails over to a replica which lags has lost what was confirmed, and only those who saw the confirmation
/// can tell.
final class NewestCommit: Sendable {
    private let newest = Mutex<(loop: LoopID, sequence: UInt64)?>(nil)

    /// Records are committed; called on the journal thread.
    func note(_ records: [JournalRecord]) {
        guard case .event(let event)? = records.last(where: { if case .event = $0 { true } else { false } }) else {
            return
        }
        newest.withLock { $0 = (event.loop, event.sequence) }
    }

    /// Something may be removed from the journal: the event may be, too.
    func forget() {
        newest.withLock { $0 = nil }
    }

    private var seen: (loop: LoopID, sequence: UInt64)? { newest.withLock { $0 } }

    /// Fails when the journal has less than this process has seen committed.
    func check(_ store: any JournalStore) throws {
        guard let (loop, sequence) = seen else { return }
        var last: UInt64?
        if try store.contains(loop) { last = try RecoveredLoop.read(loop, from: store).loop.lastSequence }
        guard last.map({ $0 < sequence }) ?? true else { return }
        let has = last.map { "it ends at event \($0)" } ?? "it has no such loop"
        throw JournalError(
            .damaged,
            "The database has lost what it had confirmed: this process saw event \(sequence) of the loop \(loop) committed, "
                + "and now \(has). It was restored from a backup, or a replica took over that lagged. Find the newest copy, "
                + "or start anew to go on with what there is; for the next time, set synchronous_standby_names.")
    }
}
