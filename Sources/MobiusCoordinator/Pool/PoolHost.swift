import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusRuntime
import MobiusWire

/// Hosts the loops of a ``WorkerPool``: it keeps the callback of each pending effect, and no other state.
///
/// The machine appends records as to a journal. Each append counts as written at once. The records also show which
/// effects have ended.
final class PoolHost<Event: Codable & Sendable>: LoopHost {
    private let mailbox: PoolMailbox<Event>
    private let events = TypedCodec<Event>.json()
    private var loops: Set<LoopID> = []
    private var orders: [EffectID: PoolCallback<Event>] = [:]
    private var isClosing = false
    private(set) var hasEnded = false
    let letters = LetterCounts()  // there is no journal
    // Reused memory.
    private var inputs: [PoolInput<Event>] = []

    init(_ mailbox: PoolMailbox<Event>) {
        self.mailbox = mailbox
    }

    var eventKinds: [PayloadKind] { [events.kind] }

    func takeInputs(at _: Moment, _ tell: (CoordinatorInput) throws -> Void) throws -> Bool {
        mailbox.drain(into: &inputs)
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
        return false
    }

    static var closed: String { "the worker pool is closed" }

    private func close(_ loop: LoopID, _ tell: (CoordinatorInput) throws -> Void) throws {
        guard loops.remove(loop) != nil else { return }
        orders = orders.filter { $0.key.loop != loop }
        try tell(.endLoop(loop))
    }

    /// Fails all pending effects; workers receive their cancellations before the goodbye.
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

    /// Fails all pending effects, and all effects submitted later.
    func end(_ reason: String) {
        failAll(reason)
        for case .submit(_, _, let order) in mailbox.close(reason) { order.fail(.failed(reason: reason)) }
    }

    // MARK: - Actions of the machine

    func apply(_ application: inout EventApplication) -> UpdateResult {
        guard case .report(let attempt, _) = application.source else {
            preconditionFailure("Events for a pool's loops come only from workers.")
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
        return .completedWithoutEvent(id)
    }

    func applyTimer(_ id: EffectID, effect: Payload, due: WallTime, ends: Bool) -> CoordinatorInput {
        orders[id]?.fire(isLast: ends)
        guard !ends else {
            orders[id] = nil
            return .completedWithoutEvent(id)
        }
        let source = SourceKey.timer(id, due: due)
        return .applied(
            EventApplication(loop: id.loop, source: source, event: effect, ends: nil, origin: .timer), effects: [])
    }

    func selectCancelled(
        _ id: EffectID, effect: Payload, among underWay: [(id: EffectID, effect: Payload)]
    ) -> CoordinatorInput {
        preconditionFailure("Effects that cancel others never reach the pool's machine.")
    }

    func lookUp(_ request: RequestID, _ loop: LoopID, key: String, event: Payload) {
        preconditionFailure("A worker pool has no external senders.")
    }

    func confirmAgain(_ request: RequestID, _ loop: LoopID, key: String, _ repetition: Repetition) {
        preconditionFailure("A worker pool has no external senders.")
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

    func answer(_ request: RequestID, _ answer: ClientAnswer) {
        preconditionFailure("A worker pool has no external senders.")
    }

    func stop(state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?) {
        hasEnded = true
    }
}

// Its one loop has no journal, and stays in memory.
extension PoolHost {
    func evict(
        _ loops: [LoopID], _ last: (LoopID) -> (sequence: UInt64, time: WallTime?)?,
        _ tell: (CoordinatorInput) throws -> Void
    ) throws {
        try tell(.stay(loops))
    }

    func unload(_ loop: LoopID) {}

    func wait(_ request: RequestID, _ loop: LoopID, key: String, event: Payload) -> Bool { false }

    func waitingCount(of loop: LoopID) -> Int { 0 }

    func takeWaiting(
        _ loop: LoopID, at now: Moment, _ tell: (CoordinatorInput) throws -> Void,
        _ handle: (ClientRequest, RequestID, String) throws -> Void
    ) throws {}
}
