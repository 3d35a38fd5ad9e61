package import Logging
import MobiusCodec
package import MobiusCore
package import MobiusEngine
package import MobiusJournal
package import MobiusProgram
import MobiusRuntime
package import MobiusWire

/// Brings a program's loops back from their journal, or finds out what keeps one from going on.
///
/// It may be used on any thread that the store belongs to at the time, and takes as long as replaying takes.
package struct LoopPreparer<Program: LoopProgram>: Sendable {
    let routes: EffectRouter<Program.Effect, Program.Event>
    package let codings: ProgramCodings<Program>
    let build: String
    let logger: Logger
    /// Where loops begin.
    let first: @Sendable () -> First<Program.Model, Program.Effect>
    /// What the calendar says.
    let calendar: @Sendable () -> WallTime

    /// Describes the program and this build of it.
    package init(
        routes: EffectRouter<Program.Effect, Program.Event>, codings: ProgramCodings<Program>, build: String,
        logger: Logger, first: @escaping @Sendable () -> First<Program.Model, Program.Effect> = Program.initiate,
        calendar: @escaping @Sendable () -> WallTime = { .current }
    ) {
        self.routes = routes
        self.codings = codings
        self.build = build
        self.logger = logger
        self.first = first
        self.calendar = calendar
    }

    /// What became of a loop.
    package enum Outcome {
        case ready(PreparedLoop<Program>)
        case held(HeldLoop)
    }

    /// Reads a loop, which is new when the journal has nothing of it.
    ///
    /// - Throws: `JournalError`; ``CoordinatorError`` when `update` is not pure, or an effect of a new loop has no route.
    package func prepare(
        _ id: LoopID, from store: any JournalReading, trail: EventTrail?, crashes: CrashLedger
    ) throws -> Outcome {
        let newest = try store.newestSnapshot(of: id)
        if let crash = crashes.holding(id, after: newest?.sequence) { return .held(try held(id, crash, store)) }
        do {
            return .ready(try replay(id, newest, store, trail, crashes))
        } catch let unreadable as Unreadable {
            let pending = (try? fold(id, store).pending.count) ?? 0
            return .held(
                HeldLoop(
                    loop: id, cause: .unreadable(unreadable.payload, reason: unreadable.reason),
                    sequence: unreadable.sequence, pending: pending, since: calendar(), build: build))
        }
    }

    /// Where the loop stands, without its model.
    private func fold(_ id: LoopID, _ store: any JournalReading) throws -> RecoveredLoop {
        var recovered = RecoveredLoop(loop: id, snapshot: try store.newestSnapshot(of: id))
        try store.readTail(of: id) { try recovered.apply($0) }
        return recovered
    }

    private func held(_ id: LoopID, _ crash: Crash, _ store: any JournalReading) throws -> HeldLoop {
        let recovered = try fold(id, store)
        let next = recovered.lastSequence.map { $0 + 1 } ?? 0
        return HeldLoop(
            loop: id, cause: .trap(crash), sequence: crash.breadcrumb.replayed ?? next,
            pending: recovered.pending.count, since: crash.time, build: crash.build)
    }

    private func replay(
        _ id: LoopID, _ newest: Snapshot?, _ store: any JournalReading, _ trail: EventTrail?, _ crashes: CrashLedger
    ) throws -> PreparedLoop<Program> {
        let loop: TypedLoop<Program>
        var first = First<Program.Model, Program.Effect>?.none
        var check = CheckResult.unneeded
        if let newest {
            let checking = ModelCheck(preparer: self, store: store, trail: trail, crashes: crashes)
            let (replayed, result) = try checking.replayed(to: newest, of: id)
            loop = try replayed ?? typed(id, try model(of: newest))
            check = result
        } else {
            let start = trail.applying(nil, from: .start, to: id) { self.first() }
            first = start
            loop = typed(id, start.model)
        }
        var recovered = RecoveredLoop(loop: id, snapshot: newest)
        var tail = Tail()
        try store.readTail(of: id) { record in
            try recovered.apply(record)
            tail.add(record, crashes)
            guard case .event(let event) = record else { return }
            try apply(event, to: loop, trail)
        }
        let snapshotBytes = newest?.model.bytes.count ?? 0
        guard let lastSequence = recovered.lastSequence else {
            return try begun(loop, first?.effects ?? [])
        }
        let keys = try store.outsideKeys(of: id, limit: CoordinatorConfiguration.defaultRememberedKeys)
        let pending = try planned(recovered.pending, by: loop)
        let resumed = ResumedLoop(
            loop: id, lastSequence: lastSequence, pending: pending, outsideKeys: keys,
            forgetsKeys: keys.count >= CoordinatorConfiguration.defaultRememberedKeys)
        return PreparedLoop(
            loop: loop, input: .recover(resumed), snapshotBytes: snapshotBytes, tail: tail, pending: pending.count,
            check: check)
    }

    /// A loop of which the journal has nothing.
    package func new(_ id: LoopID) throws(CoordinatorError) -> PreparedLoop<Program> {
        let first = self.first()
        return try begun(typed(id, first.model), first.effects)
    }

    private func begun(
        _ loop: TypedLoop<Program>, _ first: [Program.Effect]
    ) throws(CoordinatorError) -> PreparedLoop<Program> {
        do throws(ProgramError) {
            let effects = try loop.plan(first)
            return PreparedLoop(
                loop: loop, input: .begin(loop.id, effects: effects), snapshotBytes: 0, tail: Tail(),
                pending: effects.count)
        } catch {
            throw CoordinatorError(.program, error.description)
        }
    }

    private func planned(
        _ pending: [PendingEffect], by loop: TypedLoop<Program>
    ) throws -> [(PendingEffect, EffectPlan)] {
        var planned: [(PendingEffect, EffectPlan)] = []
        planned.reserveCapacity(pending.count)
        for effect in pending {
            do {
                planned.append((effect, try loop.plan(effect.effect)))
            } catch {
                throw Unreadable(
                    sequence: effect.id.sequence, payload: effect.effect,
                    reason: "its effect \(effect.id) cannot be carried out: \(error)")
            }
        }
        return planned
    }

    func typed(_ id: LoopID, _ model: Program.Model) -> TypedLoop<Program> {
        TypedLoop(id: id, model: model, routes: routes, codings: codings)
    }

    /// Applies an event that is in the journal; one that was dropped, and a start, change nothing.
    func apply(_ event: EventRecord, to loop: TypedLoop<Program>, _ trail: EventTrail?) throws {
        guard let payload = event.event else { return }
        do {
            try trail.applying(payload, from: event.source, to: event.loop, replayed: event.sequence) {
                () throws(CodingFailure) in _ = try loop.apply(payload)
            }
        } catch {
            throw Unreadable(
                sequence: event.sequence, payload: payload,
                reason: "event \(event.sequence) in the journal cannot be read: \(error)")
        }
    }

    private func model(of snapshot: Snapshot) throws -> Program.Model {
        do {
            return try codings.models.decode(snapshot.model)
        } catch {
            throw Unreadable(
                sequence: snapshot.sequence, payload: nil,
                reason: "its model as of event \(snapshot.sequence) cannot be read: \(error)")
        }
    }
}

// Outside of the generic type, and thrown untyped: Swift 6.3.1's optimizer crashes on a typed throw of a nested one.
/// Something in the journal that this build cannot read.
private struct Unreadable: Error {
    let sequence: UInt64
    let payload: Payload?
    let reason: String
}

/// A loop ready to run: new, or brought back from its journal by the newest snapshot and the events after it.
package struct PreparedLoop<Program: LoopProgram> {
    package let loop: TypedLoop<Program>
    /// What the machine is told first.
    package let input: CoordinatorInput
    /// How large the newest snapshot is; 0 without one.
    let snapshotBytes: Int
    /// What came after it.
    package let tail: Tail
    /// How many effects go on.
    let pending: Int
    /// Whether the snapshot is what replaying makes.
    package var check = CheckResult.unneeded
}

/// What was replayed behind a snapshot.
package struct Tail {
    package private(set) var events = 0
    private(set) var bytes = 0
    /// Events that once ended the process and now were applied.
    private(set) var recovered: [CrashLedger.Event] = []

    mutating func add(_ record: JournalRecord, _ crashes: CrashLedger) {
        bytes += record.payloadBytes
        guard case .event(let event) = record, event.event != nil else { return }
        events += 1
        guard !crashes.isEmpty else { return }
        let crashed = CrashLedger.Event(loop: event.loop, source: event.source)
        if crashes.contains(crashed) { recovered.append(crashed) }
    }
}

extension JournalRecord {
    /// How many bytes of payload it holds.
    package var payloadBytes: Int {
        guard case .event(let event) = self else { return 0 }
        return event.payloadBytes
    }
}
