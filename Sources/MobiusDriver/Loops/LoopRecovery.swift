package import Logging
import MobiusCodec
package import MobiusCore
package import MobiusEngine
package import MobiusJournal
import MobiusProgram
import MobiusRuntime
package import MobiusWire

/// Recovers a program's loops from their journal, or finds out why one must be held.
///
/// Call it on the thread that owns the store at the time. It takes as long as replaying the events takes.
package struct LoopRecovery<Program: LoopProgram>: Sendable {
    package let calls: ProgramCalls<Program>
    let build: String
    let logger: Logger
    /// Returns the current wall-clock time.
    let calendar: @Sendable () -> WallTime

    /// Makes a recovery for a program and this build of it.
    package init(
        _ calls: ProgramCalls<Program>, build: String, logger: Logger,
        calendar: @escaping @Sendable () -> WallTime = { .current }
    ) {
        self.calls = calls
        self.build = build
        self.logger = logger
        self.calendar = calendar
    }

    /// The result of recovering a loop.
    package enum Outcome {
        case ready(PreparedLoop<Program>)
        case held(HeldLoop)
        /// It has ended; these of its events for other loops are not delivered.
        case ended(EndedLoop, [PlannedPending])
    }

    /// Recovers a loop; a loop without records in the journal is started anew.
    ///
    /// - Parameters:
    ///   - keys: The most outside keys that are read; of a loop with more, the journal is asked later.
    ///   - checksModel: Whether the events between its snapshots are replayed to check the newer one.
    /// - Throws: `JournalError`; ``CoordinatorError`` when an effect of a new loop has no route.
    package func prepare(
        _ id: LoopID, from store: any JournalReading, trail: EventTrail?, crashes: CrashLedger,
        keys: Int = CoordinatorConfiguration.defaultRememberedKeys, checksModel: Bool = true
    ) throws -> Outcome {
        let newest = try store.newestSnapshot(of: id)
        if let complaint = calls.complaint(about: id) { return .held(try held(id, complaint, store)) }
        if let crash = crashes.holding(id, after: newest?.sequence) { return .held(try held(id, crash, store)) }
        do {
            return .ready(try replay(id, newest, store, trail, crashes, keys, checksModel))
        } catch let impure as ImpureUpdate {
            let recovered = try fold(id, store)
            return .held(
                HeldLoop(
                    loop: id, cause: .impure(reason: impure.reason),
                    sequence: (recovered.lastSequence ?? impure.sequence) + 1, pending: recovered.pending.count,
                    since: calendar(), build: build))
        } catch let unreadable as Unreadable {
            let pending = (try? fold(id, store).pending.count) ?? 0
            return .held(
                HeldLoop(
                    loop: id, cause: .unreadable(unreadable.payload, reason: unreadable.reason),
                    sequence: unreadable.sequence, pending: pending, since: calendar(), build: build))
        }
    }

    /// Whether nothing is left to do for a loop that no program runs: it has only begun, as `main` does in each coordinator of
    /// one program.
    package func isLeft(_ id: LoopID, in store: any JournalReading) throws -> Bool {
        guard calls.complaint(about: id) != nil else { return false }
        let recovered = try fold(id, store)
        return recovered.lastSequence == 0 && recovered.pending.isEmpty
    }

    /// The loop's sequence and pending effects, without its model.
    func fold(_ id: LoopID, _ store: any JournalReading) throws -> RecoveredLoop {
        var recovered = RecoveredLoop(loop: id, snapshot: try store.newestSnapshot(of: id))
        try store.readTail(of: id) { try recovered.apply($0) }
        return recovered
    }

    private func held(_ id: LoopID, _ complaint: ProgramError, _ store: any JournalReading) throws -> HeldLoop {
        let recovered = try fold(id, store)
        return HeldLoop(
            loop: id, cause: .unreadable(nil, reason: "this build has no program for it"),
            sequence: recovered.lastSequence.map { $0 + 1 } ?? 0, pending: recovered.pending.count, since: calendar(),
            build: build)
    }

    private func held(_ id: LoopID, _ crash: Crash, _ store: any JournalReading) throws -> HeldLoop {
        let recovered = try fold(id, store)
        let next = recovered.lastSequence.map { $0 + 1 } ?? 0
        return HeldLoop(
            loop: id, cause: .trap(crash), sequence: crash.breadcrumb.replayed ?? next,
            pending: recovered.pending.count, since: crash.time, build: crash.build)
    }

    private func replay(
        _ id: LoopID, _ newest: Snapshot?, _ store: any JournalReading, _ trail: EventTrail?, _ crashes: CrashLedger,
        _ keyLimit: Int, _ checksModel: Bool
    ) throws -> PreparedLoop<Program> {
        var replayed: GuardedLoop<Program>?
        var check = CheckResult.unneeded
        var stats = ReplayStats()
        if let newest {
            if checksModel {
                let checking = ModelCheck(preparer: self, store: store, trail: trail, crashes: crashes)
                (replayed, check) = try checking.replayed(to: newest, of: id)
            }
            if replayed == nil { replayed = calls.loop(id, try model(of: newest, trail)) }
            stats.add(.place(.model, of: id, after: newest.sequence), of: id, crashes)
        }
        var recovered = RecoveredLoop(loop: id, snapshot: newest)
        try store.readTail(of: id) { record in
            try recovered.apply(record)
            stats.add(record, crashes)
            guard case .event(let event) = record else { return }
            try apply(event, to: &replayed, trail)
        }
        let snapshotBytes = newest?.model.bytes.count ?? 0
        guard let lastSequence = recovered.lastSequence, let loop = replayed else {
            return try new(id, at: EventPlace(number: try store.newLoops(), time: calendar()), trail)
        }
        let keys = try store.outsideKeys(of: id, limit: keyLimit)
        let pending = try planned(recovered.pending, by: loop, trail)
        if !crashes.isEmpty {
            for (effect, _) in pending { stats.add(.place(.plan, of: effect.id), of: id, crashes) }
        }
        let resumed = ResumedLoop(
            loop: id, lastSequence: lastSequence, pending: pending, outsideKeys: keys,
            forgetsKeys: keys.count >= keyLimit,
            lastEvent: recovered.lastEvent, began: try store.beginning(of: id))
        return PreparedLoop(
            loop: loop, input: .recover(resumed), snapshotBytes: snapshotBytes, stats: stats, pending: pending.count,
            check: check)
    }

    /// Starts a loop that has no records in the journal, or begins again.
    package func new(
        _ id: LoopID, at start: EventPlace, _ trail: EventTrail?
    ) throws(CoordinatorError) -> PreparedLoop<Program> {
        if let refusal = calls.refusalToBegin(id) { throw CoordinatorError(.noProgram, refusal.description) }
        let first = calls.initiate(id, in: LoopContext(start, of: id), trail)
        let loop = calls.loop(id, first.model)
        do throws(ProgramError) {
            let effects = try loop.plan(first: first.effects, trail)
            return PreparedLoop(
                loop: loop, input: .begin(loop.id, effects: effects, at: start), snapshotBytes: 0,
                stats: ReplayStats(), pending: effects.count)
        } catch {
            throw CoordinatorError(.program, error.description)
        }
    }

    private func planned(
        _ pending: [PendingEffect], by loop: GuardedLoop<Program>, _ trail: EventTrail?
    ) throws -> [(PendingEffect, EffectPlan)] {
        var planned: [(PendingEffect, EffectPlan)] = []
        planned.reserveCapacity(pending.count)
        for effect in pending {
            do {
                planned.append((effect, try loop.plan(effect.effect, of: effect.id, at: .plan, trail)))
            } catch {
                throw Unreadable(
                    sequence: effect.id.sequence, payload: effect.effect,
                    reason: "its effect \(effect.id) cannot be carried out: \(error)")
            }
        }
        return planned
    }

    /// Applies an event from the journal; a start makes the loop, or begins it again, and a dropped event changes nothing.
    func apply(_ event: EventRecord, to replayed: inout GuardedLoop<Program>?, _ trail: EventTrail?) throws {
        if event.source == .start {
            replayed = calls.loop(event.loop, calls.initiate(replayed: event, trail).model)
        }
        guard let payload = event.event else { return }
        do {
            // In place: a copy of the loop would retain its parts.
            guard try replayed?.apply(payload, of: event, trail) != nil else {
                throw CoordinatorError(.program, "the journal does not have the loop's start")
            }
        } catch {
            throw Unreadable(
                sequence: event.sequence, payload: payload,
                reason: "event \(event.sequence) in the journal cannot be read: \(error)")
        }
    }

    private func model(of snapshot: Snapshot, _ trail: EventTrail?) throws -> Program.Model {
        do {
            return try calls.model(of: snapshot, trail)
        } catch {
            throw Unreadable(
                sequence: snapshot.sequence, payload: nil,
                reason: "its model as of event \(snapshot.sequence) cannot be read: \(error)")
        }
    }
}

// Not nested in the generic type, and thrown untyped: Swift 6.3.1's optimizer crashes on typed throws of nested types.
/// A record or snapshot that this build cannot read.
private struct Unreadable: Error {
    let sequence: UInt64
    let payload: Payload?
    let reason: String
}

/// A loop ready to run: new, or recovered from its newest snapshot and the events after it.
package struct PreparedLoop<Program: LoopProgram> {
    package let loop: GuardedLoop<Program>
    /// The machine's first input for this loop.
    package let input: CoordinatorInput
    /// The size of the newest snapshot's model in bytes; 0 without a snapshot.
    let snapshotBytes: Int
    /// The statistics of the replay after the newest snapshot.
    package let stats: ReplayStats
    /// The number of pending effects.
    let pending: Int
    /// Whether replaying the earlier events yields the snapshot's model.
    package var check = CheckResult.unneeded

    /// The number of its last event; `nil` for a new loop.
    package var lastSequence: UInt64? {
        guard case .recover(let resumed) = input else { return nil }
        return resumed.lastSequence
    }
}

/// The statistics of a replay after a snapshot.
package struct ReplayStats {
    package private(set) var events = 0
    private(set) var bytes = 0
    /// Events and places that trapped in an earlier run, and did not in this replay.
    private(set) var recovered: [CrashLedger.Event] = []

    mutating func add(_ record: JournalRecord, _ crashes: CrashLedger) {
        bytes += record.payloadBytes
        guard case .event(let event) = record, event.event != nil else { return }
        events += 1
        add(event.source, of: event.loop, crashes)
    }

    mutating func add(_ source: SourceKey, of loop: LoopID, _ crashes: CrashLedger) {
        guard !crashes.isEmpty else { return }
        let crashed = CrashLedger.Event(loop: loop, source: source)
        if crashes.contains(crashed) { recovered.append(crashed) }
    }
}

extension JournalRecord {
    /// The size of its payload in bytes.
    package var payloadBytes: Int {
        guard case .event(let event) = self else { return 0 }
        return event.payloadBytes
    }
}
