package import MobiusJournal
import MobiusWire
import Synchronization

/// The newest event that this process has seen committed, to find out whether its database still has it.
///
/// A database that fails over to a replica which lags has lost what was confirmed, and only those who saw the confirmation
/// can tell: the process that takes the loops over after itself. After another's term nothing is known, for that may have
/// removed the event in good order.
package final class NewestCommit: Sendable {
    private struct Seen {
        let loop: LoopID
        let sequence: UInt64
        let epoch: UInt64
    }

    private let newest = Mutex<Seen?>(nil)

    /// Nothing was seen yet.
    package init() {}

    /// Records are committed under this epoch; called on the journal thread.
    package func note(_ records: [JournalRecord], epoch: UInt64) {
        guard case .event(let event)? = records.last(where: { if case .event = $0 { true } else { false } }) else {
            return
        }
        newest.withLock { $0 = Seen(loop: event.loop, sequence: event.sequence, epoch: epoch) }
    }

    /// Something may be removed from the journal: the event may be, too.
    package func forget() {
        newest.withLock { $0 = nil }
    }

    private var seen: Seen? { newest.withLock { $0 } }

    /// Fails when the journal has less than this process has seen committed.
    ///
    /// - Parameter previous: The journal's newest epoch before it was taken over for this reading.
    package func check(_ store: any JournalStore, after previous: UInt64) throws {
        guard let seen else { return }
        guard previous <= seen.epoch else { return forget() }
        let (loop, sequence) = (seen.loop, seen.sequence)
        var last: UInt64?
        if try store.contains(loop) { last = try RecoveredLoop.read(loop, from: store).loop.lastSequence }
        guard last.map({ $0 < sequence }) ?? true else { return }
        let has = last.map { "it ends at event \($0)" } ?? "it has no such loop"
        throw JournalError(
            .lost,
            "The database has lost what it had confirmed: this process saw event \(sequence) of the loop \(loop) committed, "
                + "and now \(has). It was restored from a backup, or a replica took over that lagged. Find the newest copy, "
                + "or start anew to go on with what there is; for the next time, set synchronous_standby_names.")
    }
}
