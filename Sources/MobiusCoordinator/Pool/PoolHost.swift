import MobiusCore
import MobiusEngine
import MobiusJournal
import MobiusRuntime
import MobiusWire
import ZeroMQ

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
    // Memory used again and again.
    private var inputs: [PoolInput<Event>] = []

    init(_ door: PoolDoor<Event>) {
        self.door = door
    }

    var wakeUp: WakeUp { door.wakeUp }

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

    func apply(_ application: Application) -> CoordinatorInput {
        guard case .report(let attempt, _) = application.source else {
            preconditionFailure("Events of a pool's loops come from workers.")
        }
        let event: Event
        do {
            event = try events.decode(application.event)
        } catch {
            return .unreadable(application, reason: "\(error)")
        }
        orders[attempt.effect]?.send(event)
        return .applied(application, effects: [])
    }

    func apply(_ failure: EffectFailure, of id: EffectID, effect: Payload) -> CoordinatorInput {
        orders.removeValue(forKey: id)?.fail(failure)
        return .failureUnheard(id)
    }

    func append(
        _ ticket: Ticket, _ records: [JournalRecord], state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?
    ) -> Bool {
        for record in records {
            switch record {
            case .event(let event): event.ends.flatMap { orders.removeValue(forKey: $0) }?.end()
            case .ended(let id): orders.removeValue(forKey: id)?.end()
            }
        }
        return true
    }

    func runLocal(_ id: AttemptID, _ effect: Payload) {
        preconditionFailure("Effects for this process never reach the pool's machine.")
    }

    func answer(_ request: RequestID, _ result: Result<Void, CoordinatorError>) {
        preconditionFailure("Nobody sends a pool events from outside the effects.")
    }

    func stop(state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?) {
        hasEnded = true
    }
}
