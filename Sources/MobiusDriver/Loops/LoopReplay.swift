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
    private let trail: EventTrail?
    private let crashes: CrashLedger

    /// Makes a replay of a loop's events up to the one with the number `last`.
    ///
    /// - Parameter crashes: Events of which one that trapped this build before is not applied again.
    package init(
        _ recovery: LoopRecovery<Program>, _ store: any JournalReading, of loop: LoopID, to last: UInt64,
        trail: EventTrail?, crashes: CrashLedger
    ) {
        self.recovery = recovery
        self.store = store
        self.loop = loop
        self.last = last
        self.trail = trail
        self.crashes = crashes
    }

    /// Calls `visit` with each event, oldest first.
    ///
    /// - Parameter startsLate: Whether to start from the newest snapshot at or before the last event instead of from the
    ///   earliest one, for somebody who wants only the last model.
    /// - Throws: ``CoordinatorError`` with code `noEvent` for a loop or an event that the journal does not keep, or one that
    ///   trapped before; `JournalError`, with code `foreign` for an event that this build cannot read; what `visit` throws.
    package func run(startsLate: Bool, _ visit: (Step) throws -> Void) throws {
        var typed: GuardedLoop<Program>?
        try inputs(startsLate: startsLate) { input in
            let sequence = input.sequence
            guard crashes.isEmpty || !crashes.hasTrapped(replaying: loop, in: sequence...sequence, by: recovery.build)
            else { throw trapped(at: sequence) }
            switch input {
            case .first(let record):
                let first = recovery.calls.initiate(replayed: record, trail)
                typed = recovery.calls.loop(loop, first.model)
                try visit(Step(record: record, sequence: sequence, model: first.model, effects: first.effects))
            case .snapshot(let snapshot):
                let model = try readable("the model after event \(sequence)") { () throws(CodingFailure) in
                    try recovery.calls.model(of: snapshot, trail)
                }
                typed = recovery.calls.loop(loop, model)
                try visit(Step(record: nil, sequence: sequence, model: model, effects: []))
            case .event(let event):
                guard let typed else { return }
                let effects = try readable("event \(sequence)") { () throws(CodingFailure) in
                    try event.event.map { payload throws(CodingFailure) in
                        try typed.apply(payload, of: event, trail).effects
                    } ?? []
                }
                try visit(Step(record: event, sequence: sequence, model: typed.model, effects: effects))
            }
        }
    }

    /// The number of the last event there is, and the model after the event `last` if that is it.
    func lastModel() throws -> (newest: UInt64, model: Payload?) {
        var newest: UInt64 = 0
        var model: Program.Model?
        try run(startsLate: true) { step in
            newest = step.sequence
            // The models before it are not kept, because the next event would copy each of them.
            if step.sequence == last { model = step.model }
        }
        let encoding = CrashLedger.Event(loop: loop, source: .place(.encoding, of: loop))
        guard !crashes.skips(encoding, by: recovery.build) else { throw trapped(at: last) }
        return (newest, try model.map { try recovery.calls.encode($0, of: loop, trail) })
    }

    /// The same, computed by another process.
    ///
    /// - Throws: Also ``SandboxFailure``.
    func lastModel(in sandbox: any ProgramSandbox) throws -> (newest: UInt64, model: Payload?) {
        var newest: UInt64 = 0
        let answer = try sandbox.run(.replay) { send in
            try inputs(startsLate: true) { input in
                newest = input.sequence
                switch input {
                case .first(let record): try send(ReplayMessage.first(LoopContext(record)).bytes)
                case .snapshot(let snapshot):
                    let context = LoopContext(loop: loop.name, number: newest)
                    try send(ReplayMessage.model(snapshot.model, context).bytes)
                case .event(let event):
                    if let payload = event.event { try send(ReplayMessage.event(payload, LoopContext(event)).bytes) }
                }
            }
        }
        switch try ReplayAnswer(answer) {
        case .model(let model): return (newest, newest == last ? model : nil)
        case .unreadable(let what): throw unreadable(what)
        case .unwritable(let reason): throw SandboxFailure(reason, isFinal: true)
        }
    }

    /// One of the inputs, which are applied one after the other.
    private enum Input {
        case first(EventRecord)
        case snapshot(Snapshot)
        case event(EventRecord)

        var sequence: UInt64 {
            switch self {
            case .first(let record), .event(let record): record.sequence
            case .snapshot(let snapshot): snapshot.sequence
            }
        }
    }

    /// Calls `body` with all that leads to the last model.
    private func inputs(startsLate: Bool, _ body: (Input) throws -> Void) throws {
        if let complaint = recovery.calls.complaint(about: loop) {
            throw CoordinatorError(.noProgram, complaint.description)
        }
        let start = try start(late: startsLate)
        try body(start)
        guard last > start.sequence else { return }
        var expected = start.sequence &+ 1
        var place = Optional(JournalRange(from: start.sequence + 1, to: last, limit: 256, bytes: 1 << 20))
        while let range = place {
            let page = try store.entries(of: loop, range)
            for case .event(let event) in page.entries.map(\.record) {
                // Events may be removed while a journal in use is read, and without them the model would be another one.
                guard event.sequence == expected else { throw missing(from: event.sequence) }
                expected = event.sequence &+ 1
                try body(event.source == .start ? .first(event) : .event(event))
            }
            place = page.entries.last.flatMap { page.more ? $0.next(in: range) : nil }
        }
    }

    /// The loop's beginning, or a snapshot.
    private func start(late: Bool) throws -> Input {
        let kept = try store.entries(of: loop, JournalRange(limit: 1))
        let oldest = try store.oldestSnapshot(of: loop)
        let usable = try late ? store.snapshot(of: loop, upTo: last) : oldest.flatMap { $0.sequence <= last ? $0 : nil }
        if !late || usable == nil, case .event(let record)? = kept.entries.first?.record, record.isStart {
            // What the loop was before it began again is not kept.
            guard record.sequence <= last else { throw missing(from: record.sequence) }
            return .first(record)
        }
        guard let snapshot = usable else {
            throw missing(from: [kept.first, oldest?.sequence].compactMap(\.self).max())
        }
        return .snapshot(snapshot)
    }

    private func readable<Value>(
        _ what: String, _ read: () throws(CodingFailure) -> Value
    ) throws(JournalError) -> Value {
        do throws(CodingFailure) {
            return try read()
        } catch {
            throw unreadable("\(what): \(error)")
        }
    }

    private func unreadable(_ what: String) -> JournalError {
        JournalError(.foreign, "Loop \(loop): this build cannot read \(what). Run the build that wrote it.")
    }

    private func trapped(at sequence: UInt64) -> CoordinatorError {
        CoordinatorError(
            .noEvent,
            """
            The model after event \(sequence) of loop \(loop) is not computed: that trapped the process before. Run a build \
            that can do it.
            """)
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
