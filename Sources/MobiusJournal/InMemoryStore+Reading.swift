public import MobiusWire

// `JournalReading`, in memory.
extension InMemoryStore {
    /// The loops that have begun, in the order in which they did.
    public func loops() throws(JournalError) -> [LoopID] {
        read { $0.order }
    }

    /// The loops that have ended, in the order of their ends.
    public func endedLoops() throws(JournalError) -> [EndedLoop] {
        read { $0.ended }
    }

    /// The end of a loop; see ``JournalReading/end(of:)``.
    public func end(of loop: LoopID) throws(JournalError) -> EndedLoop? {
        read { state in state.ended.first { $0.loop == loop } }
    }

    /// The loops that are not idle, in the order in which they began.
    public func activeLoops() throws(JournalError) -> [LoopID] {
        read { state in state.order.filter { state.loops[$0]?.idle == nil } }
    }

    /// The number of idle loops, and of their events.
    public func idleTotals() throws(JournalError) -> IdleTotals {
        read { state in
            var totals = IdleTotals()
            for case .some(let idle) in state.loops.values.lazy.map(\.idle) { totals.add(sequence: idle.sequence) }
            return totals
        }
    }

    /// Whether the loop has begun.
    public func contains(_ loop: LoopID) throws(JournalError) -> Bool {
        read { $0.loops[loop]?.last != nil }
    }

    /// A page of loops by name; see ``JournalReading/loopPage(prefix:after:limit:)``.
    public func loopPage(prefix: String, after: LoopID?, limit: Int) throws(JournalError) -> [StoredLoop] {
        precondition(limit >= 0, "A limit is not negative.")
        return read { state in
            StoredLoop.sorted(state.order, prefix: prefix, after: after).prefix(limit).map {
                StoredLoop(loop: $0, idle: state.loops[$0]?.idle)
            }
        }
    }

    /// The number of the event with which a loop began; see ``JournalReading/beginning(of:)``.
    public func beginning(of loop: LoopID) throws(JournalError) -> UInt64 {
        read { $0.loops[loop]?.began ?? 0 }
    }

    /// The number of a new loop's first event; see ``JournalReading/newLoops()``.
    public func newLoops() throws(JournalError) -> UInt64 {
        read { $0.newLoops }
    }

    /// The newest snapshot of a loop, or `nil` when there is none or nothing is remembered.
    public func newestSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot? {
        try checked(read { $0.loops[loop]?.newest?.snapshot })
    }

    /// The snapshot before it.
    public func olderSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot? {
        try checked(read { $0.loops[loop]?.older?.snapshot })
    }

    /// The newest snapshot at or before an event; see ``JournalReading/snapshot(of:upTo:)``.
    public func snapshot(of loop: LoopID, upTo sequence: UInt64) throws(JournalError) -> Snapshot? {
        try checked(read { state in state.loops[loop]?.snapshots.last { $0.sequence <= sequence } })
    }

    /// The oldest snapshot that is kept; see ``JournalReading/oldestSnapshot(of:)``.
    public func oldestSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot? {
        try checked(read { $0.loops[loop]?.snapshots.first })
    }

    private func checked(_ snapshot: Snapshot?) throws(JournalError) -> Snapshot? {
        if let snapshot, FNV1a.hash(snapshot.model.bytes) != snapshot.hash {
            throw JournalError(
                .damaged, "The model in the snapshot of loop \(snapshot.loop) is not what its hash says.")
        }
        return snapshot
    }

    /// Calls `visit` for each record after the newest snapshot; see ``JournalReading/readTail(of:_:)``.
    public func readTail(of loop: LoopID, _ visit: (JournalRecord) throws -> Void) throws {
        for record in read({ $0.loops[loop]?.tail ?? [] }) { try visit(record) }
    }

    /// Calls `visit` for each record between the snapshots; see ``JournalReading/readBetweenSnapshots(of:_:)``.
    public func readBetweenSnapshots(of loop: LoopID, _ visit: (JournalRecord) throws -> Void) throws {
        for record in read({ $0.loops[loop]?.between ?? [] }) { try visit(record) }
    }

    /// The kept records in a range; see ``JournalReading/entries(of:_:)``.
    ///
    /// Each has the epoch of this store, because a copy in memory does not know which one wrote it.
    public func entries(of loop: LoopID, _ range: JournalRange) throws(JournalError) -> JournalPage {
        let epoch = epoch
        return read { $0.loops[loop]?.page(range, epoch: epoch) ?? JournalPage() }
    }

    /// The builds that wrote events; see ``JournalReading/builds(of:in:)``.
    public func builds(of loop: LoopID, in sequences: ClosedRange<UInt64>) throws(JournalError) -> [String] {
        read { $0.loops[loop]?.builds(in: sequences) ?? [] }
    }

    /// The outside keys that the loop has applied, oldest first, at most the newest `limit`.
    public func outsideKeys(of loop: LoopID, limit: Int) throws(JournalError) -> [String] {
        precondition(limit >= 0, "A limit is not negative.")
        return read { $0.loops[loop]?.keys.newest(limit) ?? [] }
    }

    /// Whether the loop has applied an outside key.
    public func hasApplied(key: String, of loop: LoopID) throws(JournalError) -> Bool {
        read { $0.loops[loop]?.keys.contains(key) == true }
    }

    /// Returns the confirmation that the sender of the key got; see ``JournalReading/confirmation(of:in:)``.
    public func confirmation(of key: String, in loop: LoopID) throws(JournalError) -> EventConfirmation? {
        read { $0.loops[loop]?.keys.confirmation(of: key) }
    }

    /// Returns the mark of the event with the key; see ``JournalReading/mark(of:in:)``.
    public func mark(of key: String, in loop: LoopID) throws(JournalError) -> SenderMark? {
        read { $0.loops[loop]?.keys.mark(of: key) }
    }

    /// Dead letters in order; see ``JournalReading/deadLetters(of:after:limit:)``.
    public func deadLetters(
        of loop: LoopID?, after: EffectID?, limit: Int
    ) throws(JournalError) -> [DeadLetter] {
        precondition(limit >= 0, "A limit is not negative.")
        return read { Array($0.letters(of: loop, after: after).prefix(limit)) }
    }

    /// The dead letter of an effect, if it has one.
    public func deadLetter(_ id: EffectID) throws(JournalError) -> DeadLetter? {
        read { $0.loops[id.loop]?.letters[id]?.letter }
    }

    /// Returns the number of dead letters of one loop, or of all.
    public func deadLetterCount(of loop: LoopID?) throws(JournalError) -> Int {
        read { state in state.loops.reduce(0) { loop == nil || loop == $1.key ? $0 + $1.value.letters.count : $0 } }
    }

    /// The number of loops of which a fact is in a range; see ``FactIndex/factCount(_:in:atMost:)``.
    public func factCount(_ fact: String, in range: FactRange, atMost: Int) throws(JournalError) -> Int {
        read { min($0.facts.entries(fact, in: range).count, atMost) }
    }

    /// Loops by a fact; see ``FactIndex/factEntries(_:in:after:descending:limit:)``.
    public func factEntries(
        _ fact: String, in range: FactRange, after: FactPlace?, descending: Bool, limit: Int
    ) throws(JournalError) -> [FactEntry] {
        let sorted = read { $0.facts.entries(fact, in: range) }
            .map { (place: FactPlace(key: $0.key, loop: $0.loop), entry: $0) }
            .sorted { descending ? $1.place < $0.place : $0.place < $1.place }
        guard let after else { return sorted.prefix(limit).map(\.entry) }
        return sorted.filter { descending ? $0.place < after : after < $0.place }.prefix(limit).map(\.entry)
    }

    /// Loops with facts by name; see ``FactIndex/factEntries(prefix:after:limit:)``.
    public func factEntries(prefix: String, after: LoopID?, limit: Int) throws(JournalError) -> [FactEntry] {
        read { state in
            StoredLoop.sorted(Array(state.facts.loops.keys), prefix: prefix, after: after).prefix(limit).map {
                FactEntry(loop: $0, key: [], facts: state.facts.loops[$0] ?? [:])
            }
        }
    }

    /// The crashes that were noted, in the order in which they first were.
    public func crashes() throws(JournalError) -> [Crash] {
        read { $0.crashes.all }
    }
}
