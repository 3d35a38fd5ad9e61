import MobiusCodec
import MobiusEngine
import MobiusJournal
import MobiusWire

// Snapshots of loops, and the records that make them due.
extension DurableHost {
    /// Counts appended records for snapshots and dead letters; returns the size of their payloads in bytes.
    func note(_ records: [JournalRecord]) -> Int {
        var total = 0
        // Consecutive records of one loop are summed up in place: copying a record would retain its references.
        let records = records.span
        var loop: LoopID?
        var bytes = 0
        for position in records.indices {
            switch records[position] {
            case .event(let event):
                if loop.map({ !records[position].isOf($0) }) ?? true {
                    if let loop { hosted(loop)?.appended(bytes: bytes) }
                    loop = event.loop
                    bytes = 0
                }
                let size = event.payloadBytes
                bytes += size
                total += size
            case .note(let effect, .deadLettered): letters.added(in: effect.loop)
            case .note(let effect, .requeued), .note(let effect, .dropped):
                letters.removed(from: effect.loop)
                hosted(effect.loop)?.isParked = false
            case .note: break
            }
        }
        if let loop { hosted(loop)?.appended(bytes: bytes) }
        return total
    }

    /// Queues a snapshot; the model contains exactly the events appended so far, so it belongs directly after them.
    func snapshot(
        _ loop: HostedLoop<Program>, _ state: (sequence: UInt64, pending: [PendingEffect])?
    ) {
        guard setting.journal.keepsSnapshots, let state else { return }
        loop.snapshots.begin()
        let snapshot = LoopSnapshot(
            loop: loop.id, model: loop.typed.model, calls: setting.preparer.calls, breadcrumbs: setting.breadcrumbs,
            sequence: state.sequence, pending: state.pending)
        setting.journal.save(loop.id) { Result { () throws(CodingFailure) in try snapshot.encoded() } }
    }
}
