import MobiusCodec
package import MobiusCore
package import MobiusJournal
import MobiusProgram
package import MobiusWire

/// Computes a loop's models again, event by event, from the records that a journal keeps.
///
/// It starts from the loop's beginning when all its events are kept, otherwise from a snapshot.
package struct LoopReplay<Program: LoopProgram> {
    /// An event, and what it led to in this build.
    package struct Step {
        /// The event as the journal keeps it; `nil` for the snapshot that the replay starts from.
        package let record: EventRecord?
        /// The number of the event.
        package let sequence: UInt64
        /// The model after the event.
        package let model: Program.Model
        /// The effects that `update` returned for it.
        package let effects: [Program.Effect]
    }

    private let recovery: LoopRecovery<Program>
    private let store: any JournalReading
    private let loop: LoopID
    private let last: UInt64

    /// Makes a replay of a loop's events up to the one with the number `last`.
    package init(_ recovery: LoopRecovery<Program>, _ store: any JournalReading, of loop: LoopID, to last: UInt64) {
        self.recovery = recovery
        self.store = store
        self.loop = loop
        self.last = last
    }

    /// Calls `visit` with each event, oldest first.
    ///
    /// - Parameter startsLate: Whether to start from the newest snapshot at or before the last event instead of from the
    ///   earliest one, for somebody who wants only the last model.
    /// - Throws: ``CoordinatorError`` with code `noEvent` for a loop or an event that the journal does not keep;
    ///   `JournalError`, with code `foreign` for an event that this build cannot read; what `visit` throws.
    package func run(startsLate: Bool, _ visit: (Step) throws -> Void) throws {
        let typed = try start(late: startsLate, visit)
        var expected = (typed.start ?? 0) &+ 1
        var place = typed.start.map { JournalRange(from: $0 + 1, to: last, limit: 256, bytes: 1 << 20) }
        while let range = place {
            let page = try store.entries(of: loop, range)
            for case .event(let event) in page.entries.map(\.record) {
                // Events may be removed while a journal in use is read, and without them the model would be another one.
                guard event.sequence == expected else { throw missing(from: event.sequence) }
                expected = event.sequence &+ 1
                guard event.source != .start else {
                    let first = recovery.first()
                    typed.loop.begin(first.model)
                    try visit(
                        Step(record: event, sequence: event.sequence, model: first.model, effects: first.effects))
                    continue
                }
                let effects = try readable("event \(event.sequence)") { () throws(CodingFailure) in
                    try event.event.map { payload throws(CodingFailure) in try typed.loop.apply(payload).effects } ?? []
                }
                try visit(Step(record: event, sequence: event.sequence, model: typed.loop.model, effects: effects))
            }
            place = page.entries.last.flatMap { page.more ? $0.next(in: range) : nil }
        }
    }

    /// Visits the first model, and returns the loop with it and its event's number.
    private func start(late: Bool, _ visit: (Step) throws -> Void) throws -> (loop: TypedLoop<Program>, start: UInt64?)
    {
        let kept = try store.entries(of: loop, JournalRange(limit: 1))
        let oldest = try store.oldestSnapshot(of: loop)
        let usable = try late ? store.snapshot(of: loop, upTo: last) : oldest.flatMap { $0.sequence <= last ? $0 : nil }
        if !late || usable == nil, case .event(let record)? = kept.entries.first?.record, record.isStart {
            let first = recovery.first()
            let typed = recovery.typed(loop, first.model)
            try visit(Step(record: record, sequence: record.sequence, model: first.model, effects: first.effects))
            return (typed, last > record.sequence ? record.sequence : nil)
        }
        guard let snapshot = usable else {
            throw missing(from: [kept.first, oldest?.sequence].compactMap(\.self).max())
        }
        let model = try readable("the model after event \(snapshot.sequence)") { () throws(CodingFailure) in
            try recovery.codings.models.decode(snapshot.model)
        }
        try visit(Step(record: nil, sequence: snapshot.sequence, model: model, effects: []))
        return (recovery.typed(loop, model), last > snapshot.sequence ? snapshot.sequence : nil)
    }

    private func readable<Value>(
        _ what: String, _ read: () throws(CodingFailure) -> Value
    ) throws(JournalError) -> Value {
        do throws(CodingFailure) {
            return try read()
        } catch {
            throw JournalError(
                .foreign, "Loop \(loop): this build cannot read \(what): \(error). Run the build that wrote it.")
        }
    }

    private func missing(from first: UInt64?) -> CoordinatorError {
        guard let first else {
            return CoordinatorError(.noEvent, "The journal has no loop \(loop): `mobius journal info` lists its loops.")
        }
        return CoordinatorError(
            .noEvent,
            """
            The history of loop \(loop) before event \(first) is not kept. A coordinator keeps more with --keep-history, \
            or --keep-history 30d.
            """)
    }
}

extension JournalEntry {
    /// The range behind this entry.
    fileprivate func next(in range: JournalRange) -> JournalRange? {
        let (next, overflow) = part.addingReportingOverflow(1)
        guard !overflow else { return nil }
        return JournalRange(from: sequence, part: next, to: range.last, limit: range.limit, bytes: range.bytes)
    }
}
