public import Foundation
public import MobiusCore
import MobiusEngine
import MobiusJournal
import MobiusProgram
public import MobiusWire

// The state and the history of the fleet, as plain values.
extension TestFleet {
    /// The virtual time since the fleet was created.
    public var now: Duration { inside { world, _ in world.now - VirtualHandlerExecutor.start } }

    /// The current calendar time of the fleet.
    public var date: Date {
        inside { world, _ in Date(timeIntervalSince1970: Double(world.wall.milliseconds) / 1000) }
    }

    /// The model of the loop `main`: see ``model(of:)->Program.Model``.
    public var model: Program.Model { model(of: .main) }

    /// The model that results from a loop's events on disk; the initial model if the loop has no events.
    public func model(of loop: LoopID) -> Program.Model {
        inside { world, _ in world.model(of: loop) ?? world.firstModel(of: loop) }
    }

    /// Whether a loop has ended, by an effect with the route `.endsLoop`, and has not begun again.
    public func hasEnded(_ loop: LoopID = .main) -> Bool {
        inside { world, _ in world.history.ended.contains(loop) }
    }

    /// The events of the loop `main`: see ``events(of:)``.
    public var events: [Program.Event] { events(of: .main) }

    /// The events of a loop that are on disk, each once, in the order in which they were applied.
    public func events(of loop: LoopID) -> [Program.Event] {
        inside { _, record in record.events[loop] ?? [] }
    }

    /// The pending effects of all loops, as `mobius effects` lists them: those that were requested and have not ended,
    /// in the order of the journal.
    ///
    /// An effect that failed for good is not pending; it is in ``deadLetters`` and in ``allEffects``.
    public var effects: [EffectRecord] {
        allEffects.filter { $0.state != .ended && $0.state != .dead }
    }

    /// All effects that all loops have requested so far, ended ones and dead letters included, in the order of the
    /// journal.
    public var allEffects: [EffectRecord] {
        inside { world, _ in
            let statuses = world.coordinator?.statuses ?? [:]
            return world.history.askedOrder.compactMap { world.record(of: $0, statuses[$0]) }
        }
    }

    /// The dead letters, in the order of their ids: effects that have failed for good and are kept for operators.
    public var deadLetters: [DeadLetterRecord] {
        inside { world, _ in
            world.history.deadLetters.values.sorted { $0.id < $1.id }.compactMap { letter in
                guard let effect = try? world.functions.effect(letter.effect, of: letter.id.loop) else { return nil }
                return DeadLetterRecord(
                    id: letter.id, effect: effect, reason: letter.reason, failures: Int(letter.failures))
            }
        }
    }

    /// All runs of handlers, with their outcomes, in the order of the effects and their attempts.
    public var runs: [HandlerRecord] {
        inside { world, _ in
            world.history.askedOrder.flatMap { id in
                (world.history.attempts[id] ?? []).compactMap { world.record(of: $0) }
            }
        }
    }

    /// The runs of the handler for one effect, in the order of the attempts.
    public func runs(of id: EffectID) -> [HandlerRecord] {
        inside { world, _ in (world.history.attempts[id] ?? []).compactMap { world.record(of: $0) } }
    }

    /// A log of the run, the newest line last; at least the last 5,000 lines.
    ///
    /// It contains the coordinator's steps, the events of handlers and the faults, but no heartbeats.
    public var trace: [String] { inside { _, record in record.story } }
}

extension TestFleet where Program.Effect: Equatable {
    /// The runs of the handlers for effects equal to this one, of all loops.
    ///
    /// ```swift
    /// #expect(fleet.runs(of: .charge("tea")).count == 1)
    /// ```
    public func runs(of effect: Program.Effect) -> [HandlerRecord] { runs.filter { $0.effect == effect } }
}

extension World {
    fileprivate func record(of id: EffectID, _ status: EffectSummary?) -> TestFleet<Program>.EffectRecord? {
        guard let asked = history.requested[id], let effect = try? functions.effect(asked.effect, of: id.loop) else {
            return nil
        }
        var pool: String?
        if case .pool(let name) = asked.plan.destination { pool = name }
        return .init(
            id: id, effect: effect, pool: pool, state: state(of: id, asked, status),
            attempts: history.attempts[id]?.count ?? 0)
    }

    private func state(
        of id: EffectID, _ asked: History.Asked, _ status: EffectSummary?
    ) -> TestFleet<Program>.EffectState {
        if history.deadLetters[id] != nil { return .dead }
        if history.endings[id] != nil { return .ended }
        if case .timer = asked.plan.destination { return .timer }
        switch status?.phase {
        case .running: return .running
        case .pausing: return .pausing
        default: return .waiting
        }
    }

    fileprivate func record(of id: AttemptID) -> TestFleet<Program>.HandlerRecord? {
        let loop = id.effect.loop
        guard let run = history.runs[id], let effect = try? functions.effect(run.effect, of: loop) else { return nil }
        let outcome: TestFleet<Program>.Outcome
        switch run.end {
        case .finished: outcome = .finished
        case .failed where run.isCancelled: outcome = .cancelled
        case .failed(_, let reason): outcome = .failed(reason)
        case nil: outcome = history.dead.contains(run.process) ? .lost : .running
        }
        return .init(
            id: id.effect, effect: effect, attempt: id.attempt, process: run.process, outcome: outcome,
            events: run.events.compactMap { try? functions.event($0, for: loop) },
            began: run.start - VirtualHandlerExecutor.start)
    }
}
