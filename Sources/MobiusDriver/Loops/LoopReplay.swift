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
    /// - Parameter first: The first event whose model is of use, so that the replay starts from the newest snapshot at or before it; `nil`
    ///   to start as early as possible.
    /// - Throws: ``CoordinatorError`` with code `noEvent` for a loop or an event that the journal does not keep, or one that
    ///   trapped before; `JournalError`, with code `foreign` for an event that this build cannot read; what `visit` throws.
    package func run(from first: UInt64?, _ visit: (Step) throws -> Void) throws {
        var typed: GuardedLoop<Program>?
        try inputs(from: first) { input in
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

    /// The model after the last event; `nil` if there is no such event yet.
    func lastModel() throws -> Payload? {
        let found = models(from: last)
        if let failure = found.failure { throw failure }
        return found.models.first?.model
    }

    /// The models after the events from `first` to the last one, as many as ``ReplayedModels`` has room for.
    func models(from first: UInt64) -> ReplayedModels {
        var found = ReplayedModels()
        let encoding = CrashLedger.Event(loop: loop, source: .place(.encoding, of: loop))
        do {
            // No model is kept, because the next event would copy each of them.
            try run(from: first) { step in
                found.newest = step.sequence
                guard step.sequence >= first, found.hasRoom else { return }
                guard !crashes.skips(encoding, by: recovery.build) else { throw trapped(at: step.sequence) }
                found.add(try recovery.calls.encode(step.model, of: loop, trail), after: step.sequence)
            }
        } catch {
            found.failure = error
        }
        return found
    }

    /// The same, computed by another process.
    ///
    /// - Throws: ``SandboxFailure``.
    func models(from first: UInt64, in sandbox: any ProgramSandbox) throws(SandboxFailure) -> ReplayedModels {
        var found = ReplayedModels()
        var asked: [UInt64] = []
        do {
            let answer = try sandbox.run(.replay) { send in
                do {
                    try inputs(from: first) { input in
                        if let message = message(input) { try send(message.bytes) }
                        found.newest = input.sequence
                        guard input.sequence >= first else { return }
                        try send(ReplayMessage.show.bytes)
                        asked.append(input.sequence)
                    }
                } catch let error where error is CoordinatorError || error is JournalError {
                    found.failure = error  // what was asked for before is answered
                }
            }
            let replayed = try ReplayAnswer(answer)
            for (sequence, model) in zip(asked, replayed.models) { found.add(model, after: sequence) }
            switch replayed.end {
            case .unreadable(let what): found.failure = unreadable(what)
            case .unwritable(let reason): found.failure = SandboxFailure(reason, isFinal: true)
            case nil: break
            }
        } catch let failure as SandboxFailure {
            throw failure
        } catch {
            throw SandboxFailure("\(error)", isFinal: false)
        }
        return found
    }

    /// What the other process gets; `nil` for an event that an operator dropped.
    private func message(_ input: Input) -> ReplayMessage? {
        switch input {
        case .first(let record): .first(LoopContext(record))
        case .snapshot(let snapshot): .model(snapshot.model, LoopContext(loop: loop.name, number: snapshot.sequence))
        case .event(let event): event.event.map { .event($0, LoopContext(event)) }
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
    private func inputs(from first: UInt64?, _ body: (Input) throws -> Void) throws {
        if let complaint = recovery.calls.complaint(about: loop) {
            throw CoordinatorError(.noProgram, complaint.description)
        }
        let start = try start(from: first)
        try body(start)
        guard last > start.sequence else { return }
        var expected = start.sequence &+ 1
        var place = Optional(JournalRange(from: start.sequence + 1, to: last, limit: 256, bytes: 1 << 20))
        while let range = place {
            let page = try store.entries(of: loop, range)
            for case .event(let event) in page.entries.map(\.record) {
                // Events may be removed while a journal in use is read, and without them the model would be another one.
                guard event.sequence == expected else { throw Self.missing(from: event.sequence, of: loop) }
                expected = event.sequence &+ 1
                try body(event.source == .start ? .first(event) : .event(event))
            }
            place = page.entries.last.flatMap { page.more ? $0.next(in: range) : nil }
        }
    }

    /// The loop's beginning, or a snapshot.
    private func start(from first: UInt64?) throws -> Input {
        let kept = try store.entries(of: loop, JournalRange(limit: 1))
        let oldest = try store.oldestSnapshot(of: loop)
        var usable = try first.flatMap { try store.snapshot(of: loop, upTo: $0) }
        if usable == nil, case .event(let record)? = kept.entries.first?.record, record.isStart {
            // What the loop was before it began again is not kept.
            guard record.sequence <= last else { throw Self.missing(from: record.sequence, of: loop) }
            return .first(record)
        }
        if let oldest, oldest.sequence <= last { usable = usable ?? oldest }
        guard let snapshot = usable else {
            throw Self.missing(from: [kept.first, oldest?.sequence].compactMap(\.self).max(), of: loop)
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

    /// - Parameter first: The first event after which the model is known; `nil` when none is.
    static func missing(from first: UInt64?, of loop: LoopID) -> CoordinatorError {
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
