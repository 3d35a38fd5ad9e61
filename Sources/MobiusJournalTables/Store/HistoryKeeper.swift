package import MobiusJournal
package import MobiusWire

/// Releases the segments of history that are beyond the journal's window, in their order, to the ``Compactor``.
///
/// Segments, and the time when each may go, are defined by ``HistoryWindow``. Its time is that of events: nothing is
/// deleted
/// while none are committed. A crash at any point leaves a segment that is there, or partly deleted and released again.
package struct HistoryKeeper {
    package let kept: KeptHistory
    private let shard: Int64
    /// The segments that go next, oldest first: a page of the table at most.
    private var oldest: [HistoryTable.Segment] = []
    // The last segment that was read, and the newest one: those between are only in the table.
    private var read: Int64 = 0
    private var newest: Int64
    /// The bytes of records and models; counted once, when a window needs it.
    private var used: Int64 = 0
    /// The time of the newest event that this process has committed.
    package private(set) var now: WallTime?

    package init(shard: Int64, kept: KeptHistory, _ session: any JournalDatabase) throws(JournalError) {
        self.kept = kept
        self.shard = shard
        newest = try HistoryTable.greatest(shard: shard, session)
        if case .window(let window) = kept, window.bytes != nil {
            used = try session.usedBytes(shard: shard)
        }
    }

    /// Notes what is committed next: its time is the present.
    ///
    /// It comes first in a commit, because what the commit adds to the table cannot be read before its end.
    package mutating func note(_ group: [[JournalRecord]], _ session: any JournalDatabase) throws(JournalError) {
        guard kept != .all else { return }
        if let time = group.newestTime { now = max(time, now ?? time) }
        guard read > 0 || newest > 0 else { return }
        if case .window(let window) = kept, window.bytes != nil, session.knowsUsedBytes {
            used = try session.usedBytes(shard: shard)
        }
        guard oldest.isEmpty, read < newest else { return }
        oldest = try HistoryTable.segments(after: read, shard: shard, session)
        // Fewer are all that there are: others went with their loops.
        read = oldest.count < HistoryTable.page ? newest : oldest.last?.id ?? newest
    }

    /// The journal has so many bytes more.
    package mutating func grow(by bytes: Int64) { used += bytes }

    /// A loop was given a snapshot, so that recovery needs its records before the place `older` no more.
    package mutating func supersede(
        _ loop: LoopID, _ number: Int64, before older: RecordPlace, at time: WallTime, _ commit: inout Commit
    ) {
        let segment = HistoryTable.Segment(id: newest + 1, number: number, loop: loop, end: older, time: time)
        HistoryTable.insert(segment, &commit)
        if read == newest, oldest.count < HistoryTable.page {
            oldest.append(segment)
            read = segment.id
        }
        newest = segment.id
    }

    /// Whether no segment is to be released now.
    package var isIdle: Bool { oldest.first.map { !isDue($0, used) } ?? (read == newest) }

    /// Takes the oldest segment, if it is due when the journal has `added` bytes more than was noted.
    package mutating func release(added: Int64) -> HistoryTable.Segment? {
        guard let next = oldest.first, isDue(next, used + added) else { return nil }
        return oldest.removeFirst()
    }

    /// The loop is being removed, with its segments.
    package mutating func forget(_ loop: Int64) {
        oldest.removeAll { $0.number == loop }
    }

    private func isDue(_ segment: HistoryTable.Segment, _ used: Int64) -> Bool {
        switch kept {
        // Segments that an earlier start has kept.
        case .needed: true
        case .window(let window): window.releases(superseded: segment.time, now: now, used: used)
        case .all: false
        }
    }
}
