import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusWire

/// The product's host of a coordinator's loops; the chronicle is told of what the loops make of their events.
final class WitnessedHost<Program: LoopProgram>: LoopHost {
    private let host: DurableHost<Program>
    private let ports: CoordinatorPorts<Program>

    init(_ host: DurableHost<Program>, _ ports: CoordinatorPorts<Program>) {
        self.host = host
        self.ports = ports
    }

    private var world: World<Program> { ports.world }

    var hasEnded: Bool { host.hasEnded }
    var eventKinds: [PayloadKind] { host.eventKinds }
    var letterCount: Int { host.letterCount }

    func takeInputs(_ tell: (CoordinatorInput) throws -> Void) throws -> Bool { try host.takeInputs(tell) }

    func apply(_ application: inout Application) throws -> Advance {
        let advance = try host.apply(&application)
        switch advance {
        case .effects: applied(application)
        case .unreadable: world.trace(ports.name, "cannot read the event from \(application.source.sketch)")
        case .held: failed(application.loop)
        }
        return advance
    }

    /// A loop does not go on: its program is wrong, or an event came for a loop that is not there.
    private func failed(_ loop: LoopID) {
        if case .program(_, let reason) = host.held[loop]?.cause {
            world.fail(reason)
        } else {
            world.complain(.conduct, "\(ports.name) applies an event to loop \(loop), which does not go on")
        }
    }

    private func applied(_ application: Application) {
        world.tell(ports.name, "applies \(world.sketch(application.event)) from \(application.source.sketch)")
        world.chronicle.applied(application.loop, application.source, application.event, epoch: ports.epoch)
    }

    /// What came of news that are to make an event of an effect's loop.
    private func answered(_ input: CoordinatorInput) -> CoordinatorInput {
        switch input {
        case .applied(let application, _): applied(application)
        case .unheard(let id): world.chronicle.excused.insert(id)
        case .hold(let loop): failed(loop)
        default: world.complain(.conduct, "\(ports.name) makes no event of an effect's news: \(input)")
        }
        return input
    }

    func applyFailure(
        _ id: EffectID, effect: Payload, _ failure: EffectFailure, round: UInt32
    ) throws -> CoordinatorInput {
        if let process = ports.process { world.chronicle.failedForGood(id, failure, round: round, in: process) }
        return answered(try host.applyFailure(id, effect: effect, failure, round: round))
    }

    func applyTimer(_ id: EffectID, effect: Payload, due: WallTime, ends: Bool) throws -> CoordinatorInput {
        // What is counted from an event does not jump with the calendar.
        if let calendar = ports.process?.calendar, due > calendar, !world.chronicle.hasJumped {
            world.complain(.noticed, "the timer \(id) fires \(due - calendar) too early")
        }
        let input = try host.applyTimer(id, effect: effect, due: due, ends: ends)
        if case .unheard = input { world.complain(.conduct, "the timer \(id) has no event") }
        return answered(input)
    }

    func selectCancelled(
        _ id: EffectID, effect: Payload, among underWay: [(id: EffectID, effect: Payload)]
    ) throws -> CoordinatorInput {
        let input = try host.selectCancelled(id, effect: effect, among: underWay)
        guard case .cancelSelected(_, let selected) = input else { return input }
        world.trace(ports.name, "\(id) cancels \(selected)")
        world.chronicle.excused.insert(id)
        world.chronicle.excused.formUnion(selected.filter { $0 < id })
        return input
    }

    func lookUp(_ request: RequestID, _ loop: LoopID, key: String, event: Payload) {
        host.lookUp(request, loop, key: key, event: event)
    }

    func append(
        _ ticket: Ticket, _ records: [JournalRecord], state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?
    ) throws -> Bool {
        try host.append(ticket, records, state: state)
    }

    func runLocal(_ id: AttemptID, _ effect: Payload, traceparent: String) {
        host.runLocal(id, effect, traceparent: traceparent)
    }

    func acknowledged(_ id: AttemptID, events: Int, bytes: Int) { host.acknowledged(id, events: events, bytes: bytes) }

    func stands(_ loop: LoopID, sequence: UInt64, pending: Int) {
        host.stands(loop, sequence: sequence, pending: pending)
    }

    func answer(_ request: RequestID, _ result: Result<Void, CoordinatorError>) { host.answer(request, result) }

    func stop(state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?) {
        world.trace(ports.name, "has said everything")
        host.stop(state: state)
    }
}
