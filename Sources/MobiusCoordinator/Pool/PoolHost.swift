import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusRuntime
import MobiusWire

/// The host of the loops of a ``WorkerPool``: it knows who asked for an effect, and remembers nothing else.
///
/// The machine writes its records as for a journal, and each is taken for written at once; they also say which effects
/// are over.
final class PoolHost<Event: Codable & Sendable>: LoopHost {
    private let door: PoolDoor<Event>
    private let events = TypedCoding<Event>.json()
    private var loops: Set<LoopID> = []
    private var orders: [EffectID: PoolOrder<Event>] = [:]
    private var isClosing = false
    private(set) var hasEnded = false
    let letterCount = 0  // nothing is kept
    // Memory used again and again.
    private var inputs: [PoolInput<Event>] = []

    init(_ door: PoolDoor<Event>) {
        self.door = door
    }

    var eventKinds: [PayloadKind] { [events.kind] }

    func takeInputs(_ tell: (CoordinatorInput) throws -> Void) throws {
        door.take(into: &inputs)
        defer { inputs.removeAll(keepingCapacity: true) }  // they hold callbacks of loops
        for input in inputs {
            switch input {
            case .open(let loop):
                guard !isClosing else { continue }
                loops.insert(loop)
                try tell(.begin(loop, effects: []))
            case .submit(let id, let effect, let order):
                guard loops.contains(id.loop) else {
                    if isClosing { order.fail(.failed(reason: Self.closed)) }
                    continue
                }
                orders[id] = order
                try tell(.submit(id, effect))
            case .cancel(let id):
                guard orders.removeValue(forKey: id) != nil else { continue }
                try tell(.cancel(id))
            case .close(let loop): try close(loop, tell)
            case .stop: try stop(tell)
            }
        }
    }

    static var closed: String { "the worker pool is closed" }

    private func close(_ loop: LoopID, _ tell: (CoordinatorInput) throws -> Void) throws {
        guard loops.remove(loop) != nil else { return }
        orders = orders.filter { $0.key.loop != loop }
        try tell(.endLoop(loop))
    }

    /// Fails what is under way; the workers are told to cancel it before they are told goodbye.
    private func stop(_ tell: (CoordinatorInput) throws -> Void) throws {
        guard !isClosing else { return }
        isClosing = true
        failAll(Self.closed)
        for loop in loops { try tell(.endLoop(loop)) }
        loops = []
        try tell(.stop)
    }

    private func failAll(_ reason: String) {
        let failed = orders.sorted { $0.key < $1.key }
        orders = [:]
        for (_, order) in failed { order.fail(.failed(reason: reason)) }
    }

    /// Fails all that is under way and all that comes later.
    func end(_ reason: String) {
        failAll(reason)
        for case .submit(_, _, let order) in door.close(reason) { order.fail(.failed(reason: reason)) }
    }

    // MARK: - What the machine decides

    func apply(_ application: inout Application) -> Advance {
        guard case .report(let attempt, _) = application.source else {
            preconditionFailure("Events of a pool's loops come from workers.")
        }
        let event: Event
        do {
            event = try events.decode(application.event)
        } catch {
            return .unreadable(reason: "\(error)")
        }
        orders[attempt.effect]?.send(event)
        return .effects(.none)
    }

    func applyFailure(
        _ id: EffectID, effect: Payload, _ failure: EffectFailure, round: UInt32
    ) -> CoordinatorInput {
        orders.removeValue(forKey: id)?.fail(failure)
        return .unheard(id)
    }

    func applyTimer(_ id: EffectID, effect: Payload, due: WallTime, ends: Bool) -> CoordinatorInput {
        orders[id]?.fire(isLast: ends)
        guard !ends else {
            orders[id] = nil
            return .unheard(id)
        }
        let source = SourceKey.timer(id, due: due)
        return .applied(
            Application(loop: id.loop, source: source, event: effect, ends: nil, origin: .timer), effects: [])
    }

    func selectCancelled(
        _ id: EffectID, effect: Payload, among underWay: [(id: EffectID, effect: Payload)]
    ) -> CoordinatorInput {
        preconditionFailure("Effects that cancel others never reach the pool's machine.")
    }

    func lookUp(_ request: RequestID, _ loop: LoopID, key: String, event: Payload) {
        preconditionFailure("Nobody sends a pool events from outside the effects.")
    }

    func append(
        _ ticket: Ticket, _ records: [JournalRecord], state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?
    ) -> Bool {
        for record in records {
            switch record {
            case .event(let event): event.ends.flatMap { orders.removeValue(forKey: $0) }?.end()
            case .note(let id, .ended): orders.removeValue(forKey: id)?.end()
            case .note: break
            }
        }
        return true
    }

    func runLocal(_ id: AttemptID, _ effect: Payload, traceparent: String) {
        preconditionFailure("Effects for this process never reach the pool's machine.")
    }

    func answer(_ request: RequestID, _ result: Result<Void, CoordinatorError>) {
        preconditionFailure("Nobody sends a pool events from outside the effects.")
    }

    func stop(state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?) {
        hasEnded = true
    }
}
