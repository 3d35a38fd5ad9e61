import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusWire

/// Wraps the production host of a coordinator's loops, and records in the history which events the loops apply.
final class RecordingHost<Program: LoopProgram>: LoopHost {
    private let host: DurableHost<Program>
    private let ports: SimulatedCoordinatorIO<Program>

    init(_ host: DurableHost<Program>, _ ports: SimulatedCoordinatorIO<Program>) {
        self.host = host
        self.ports = ports
    }

    private var world: World<Program> { ports.world }

    /// Whether the program has not trapped in the call that has just returned.
    private var isAlive: Bool { ports.process?.isAlive == true }

    var hasEnded: Bool { host.hasEnded }
    var eventKinds: [PayloadKind] { host.eventKinds }
    var letters: LetterCounts { host.letters }

    func takeInputs(at now: Moment, _ tell: (CoordinatorInput) throws -> Void) throws -> Bool {
        try host.takeInputs(at: now, tell)
    }

    func apply(_ application: inout EventApplication) throws -> UpdateResult {
        let advance = try host.apply(&application)
        switch advance {
        case .effects(let effects):
            applied(application)
            if case .outside(let key) = application.source {
                world.history.replied(effects.all, to: key, of: application.loop, epoch: ports.epoch)
            }
        case .unreadable:
            world.trace(ports.name, "cannot decode the event from \(application.source.summary)")
            if case .report(let attempt, _) = application.source {
                world.history.lives[ports.epoch]?.undecodable.insert(attempt)
            }
        case .held: failed(application.loop)
        }
        return advance
    }

    /// A loop is held because its program has an error, or an event was applied to a loop that was held before.
    private func failed(_ loop: LoopID) {
        if case .program(_, let reason) = host.held[loop]?.cause {
            world.fail(reason)
        } else {
            world.violated(.conduct, "\(ports.name) applies an event to loop \(loop), which is held")
        }
    }

    private func applied(_ application: EventApplication) {
        guard isAlive else { return }
        world.log(
            ports.name,
            "applies \(world.summary(application.event, for: application.loop)) from \(application.source.summary)")
        world.history.applied(application.loop, application.source, application.event, epoch: ports.epoch)
    }

    /// Records the input into which the host turned an effect's failure or a timer.
    private func recorded(_ input: CoordinatorInput) -> CoordinatorInput {
        guard isAlive else { return input }
        switch input {
        case .applied(let application, _): applied(application)
        case .completedWithoutEvent(let id): world.history.mayEndSilently.insert(id)
        case .hold(let loop): failed(loop)
        default: world.violated(.conduct, "\(ports.name) made no event of an effect's outcome: \(input)")
        }
        return input
    }

    func applyFailure(
        _ id: EffectID, effect: Payload, _ failure: EffectFailure, round: UInt32
    ) throws -> CoordinatorInput {
        if let process = ports.process { world.history.failedForGood(id, failure, round: round, in: process) }
        return recorded(try host.applyFailure(id, effect: effect, failure, round: round))
    }

    func applyAnswer(_ id: EffectID, effect: Payload, _ reply: LoopReply) throws -> CoordinatorInput {
        recorded(try host.applyAnswer(id, effect: effect, reply))
    }

    func applyTimer(_ id: EffectID, effect: Payload, due: WallTime, ends: Bool) throws -> CoordinatorInput {
        // Times that are measured from an event do not jump with the calendar.
        // One that operators fire several times in a millisecond has a time of its own for each.
        let byHand = Duration.milliseconds(world.history.wantedActs[id]?.count ?? 0)
        if let calendar = ports.process?.calendar, due > calendar + byHand, !world.history.hasJumped {
            world.violated(.noticed, "the timer \(id) fires \(due - calendar) too early")
        }
        world.history.lives[ports.epoch]?.timers[id] = world.now
        if !ends { ports.process?.watchNext(of: id) }
        let input = try host.applyTimer(id, effect: effect, due: due, ends: ends)
        if case .completedWithoutEvent = input { world.violated(.conduct, "the timer \(id) produced no event") }
        return recorded(input)
    }

    func deliver(
        _ id: EffectID, effect: Payload, to target: LoopID, as errand: LoopErrand,
        _ tell: (CoordinatorInput) throws -> Void
    ) throws -> CoordinatorInput {
        let input = try host.deliver(id, effect: effect, to: target, as: errand) { input in
            if case .begin(let loop, _, _) = input, !errand.begins {
                world.violated(
                    .conduct, "\(ports.name) begins loop \(loop) for \(id), which another had left for its end")
            }
            try tell(input)
        }
        switch input {
        case .applied(let application, let effects):
            applied(application)
            world.history.replied(effects, to: id, epoch: ports.epoch)
            // What it is told ends an effect that asks, unless its loop has ended.
            if errand != .question || ports.process?.driver.machine.hasOutlived(id) ?? true {
                world.history.mayEndSilently.insert(id)
            }
        case .completedWithoutEvent: world.history.mayEndSilently.insert(id)
        case .undelivered, .awaiting: break
        case .endAlong(_, let loop):
            world.history.mayEndSilently.insert(id)
            world.history.wantsEnd(of: loop)
        case .answered(_, let reply?) where errand == .question && reply.reply == nil:
            world.history.dropped(question: id)
        case .answered(_, let reply?) where errand == .question: world.history.refused(id, reply.reply)
        case .hold(let loop): failed(loop)
        default: world.violated(.conduct, "\(ports.name) made no event of \(id), which is one: \(input)")
        }
        return input
    }

    func beginAgain(for application: EventApplication) throws -> Opening { try host.beginAgain(for: application) }

    func ended(_ loop: LoopID) {
        world.log(ports.name, "ends loop \(loop)")
        // A worker that lists one of them is told at once.
        world.history.mayEndSilently.formUnion(world.history.askedOrder.lazy.filter { $0.loop == loop })
        world.history.lives[ports.epoch]?.ends[loop] = host.lastSequence(loop)
        host.ended(loop)
    }

    func cancelLocal(_ id: AttemptID) { host.cancelLocal(id) }

    package func remove(_ loops: [LoopID]) { host.remove(loops) }

    func selectCancelled(
        _ id: EffectID, effect: Payload, among underWay: [(id: EffectID, effect: Payload)]
    ) throws -> CoordinatorInput {
        let input = try host.selectCancelled(id, effect: effect, among: underWay)
        guard case .cancelSelected(_, let selected) = input else { return input }
        world.trace(ports.name, "\(id) cancels \(selected)")
        world.history.mayEndSilently.insert(id)
        world.history.selected(selected, by: id)
        world.history.mayEndSilently.formUnion(selected.filter { $0 < id })
        return input
    }

    func lookUp(_ request: RequestID, _ loop: LoopID, key: String, event: Payload) {
        host.lookUp(request, loop, key: key, event: event)
    }

    func confirmAgain(_ request: RequestID, _ loop: LoopID, key: String, _ repetition: Repetition) {
        host.confirmAgain(request, loop, key: key, repetition)
    }

    func append(
        _ ticket: Ticket, _ records: [JournalRecord], state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?
    ) throws -> Bool {
        try host.append(ticket, records, state: state)
    }

    func runLocal(_ id: AttemptID, _ effect: Payload, traceparent: String) {
        ports.lease?.tells("the start of a handler")
        host.runLocal(id, effect, traceparent: traceparent)
    }

    func acknowledged(_ id: AttemptID, events: Int, bytes: Int) { host.acknowledged(id, events: events, bytes: bytes) }

    func recordHeldState(_ loop: LoopID, sequence: UInt64, pending: Int) {
        host.recordHeldState(loop, sequence: sequence, pending: pending)
    }

    func answer(_ request: RequestID, _ answer: ClientAnswer) throws { try host.answer(request, answer) }

    func evict(
        _ loops: [LoopID], _ last: (LoopID) -> (sequence: UInt64, time: WallTime?)?,
        _ tell: (CoordinatorInput) throws -> Void
    ) throws {
        world.trace(ports.name, "parks \(loops)")
        try host.evict(loops, last, tell)
    }

    func unload(_ loop: LoopID) {
        world.trace(ports.name, "removes \(loop) from memory")
        host.unload(loop)
    }

    func wait(_ request: RequestID, _ loop: LoopID, key: String, event: Payload) -> Bool {
        host.wait(request, loop, key: key, event: event)
    }

    func waitingCount(of loop: LoopID) -> Int { host.waitingCount(of: loop) }

    func takeWaiting(
        _ loop: LoopID, at now: Moment, _ tell: (CoordinatorInput) throws -> Void,
        _ handle: (ClientRequest, RequestID, String) throws -> Void
    ) throws {
        try host.takeWaiting(loop, at: now, tell, handle)
    }

    func stop(state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?) {
        world.trace(ports.name, "has stopped its machine")
        host.stop(state: state)
    }
}
