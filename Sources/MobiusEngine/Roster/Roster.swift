package import MobiusWire

/// The workers of a coordinator: their sessions, what each of them should hold, and the messages for them.
///
/// What a worker holds is known from both sides: its receipts name effects, and each of these effects names its worker in its
/// phase and the receipt's place. So the methods that change receipts get the effects, too.
package struct Roster: Sendable {
    package typealias Effects = SlotTable<EffectID, EffectState>

    /// The maximum number of sessions: more than the maximum of connections, because some workers are lost but not yet
    /// detected.
    static let maximumWorkers = 16_384

    private(set) var workers = SlotTable<Incarnation, WorkerState>()
    /// The workers in the order they joined.
    package private(set) var order: [Incarnation] = []
    private var peers: [Peer: Incarnation] = [:]
    /// Peers that have received a REJECT for an invalid message.
    private var rejected = RecentSet<Peer>(limit: 1024)
    private var lastSession: UInt64 = 0
    /// Whether reports of workers were dropped because intake was closed.
    private(set) var hasMissed = false

    package init(_ visits: VisitCount) {
        workers.visits = visits
    }

    // MARK: Who is here

    /// The number of workers, or of those at the end.
    package var count: Int { workers.count }

    package subscript(worker: Incarnation) -> WorkerState? { workers[worker] }

    /// A worker in place.
    subscript(slot: WorkerSlot) -> WorkerState {
        _read { yield workers[slot] }
        _modify { yield &workers[slot] }
    }

    @inline(__always)
    package mutating func slot(of worker: Incarnation) -> WorkerSlot? { workers.slot(of: worker) }

    /// The worker at this connection.
    package func worker(at peer: Peer) -> Incarnation? { peers[peer] }

    /// All workers in the order in which they joined.
    var all: some Sequence<WorkerState> { order.lazy.compactMap { workers[$0] } }

    /// Changes a worker in place, if it is here.
    package mutating func with(_ worker: Incarnation, _ body: (inout WorkerState) -> Void) {
        guard let slot = workers.slot(of: worker) else { return }
        body(&workers[slot])
    }

    /// The number of effects that may be sent to a worker now.
    mutating func credit(of worker: Incarnation) -> (worker: Incarnation, slot: WorkerSlot, credit: UInt64)? {
        workers.slot(of: worker).map { (worker, $0, workers[$0].free) }
    }

    // MARK: Sessions

    /// A worker begins a session; returns the number of it.
    ///
    /// What it should hold, and what waits for its commit, stays from its session before.
    package mutating func admit(_ hello: Hello, at peer: Peer, now: Moment) -> UInt64 {
        let before = workers[hello.incarnation]
        if let before { forgetPeer(of: before) } else { order.append(hello.incarnation) }
        lastSession += 1
        var worker = WorkerState(
            incarnation: hello.incarnation, peer: peer, session: lastSession, pools: hello.pools,
            build: hello.build, name: hello.name, hello: hello.number, lastHeard: now, creditTotal: hello.creditTotal)
        worker.holding = (before?.holding ?? []).map {
            WorkerState.Receipt(effect: $0.effect, isConfirmed: $0.isConfirmed)
        }
        worker.reserved = before?.reserved ?? []
        workers[hello.incarnation] = worker
        peers[peer] = hello.incarnation
        return lastSession
    }

    /// Removes a worker.
    package mutating func remove(_ worker: Incarnation) -> WorkerState? {
        guard let state = workers.removeValue(forKey: worker) else { return nil }
        order.removeAll { $0 == worker }
        forgetPeer(of: state)
        return state
    }

    private mutating func forgetPeer(of worker: WorkerState) {
        if peers[worker.peer] == worker.incarnation { peers[worker.peer] = nil }
    }

    /// Whether the peer gets a REJECT for an invalid message for the first time in a while.
    mutating func reject(_ peer: Peer) -> Bool { rejected.insert(peer) }

    // MARK: Signs of life

    /// A message of a worker has arrived.
    package mutating func hear(_ worker: WorkerSlot, credit: UInt64?, at now: Moment) {
        workers[worker].lastHeard = now
        workers[worker].health = .good
        if let credit { workers[worker].creditTotal = max(workers[worker].creditTotal, credit) }
    }

    /// The connection of a worker was lost.
    package mutating func disconnect(_ peer: Peer, at now: Moment) {
        guard let worker = peers[peer].flatMap({ workers.slot(of: $0) }) else { return }
        if case .disconnected = workers[worker].health { return }
        workers[worker].health = .disconnected(now)
    }

    /// The coordinator did not run for a while, which does not count against workers; after a long pause they may have to
    /// reconnect.
    package mutating func pardon(_ pause: Duration, isLong: Bool, at now: Moment) {
        for incarnation in order {
            with(incarnation) { worker in
                worker.lastHeard = isLong ? now : min(now, worker.lastHeard + pause)
                if case .disconnected(let since) = worker.health {
                    worker.health = .disconnected(isLong ? now : min(now, since + pause))
                }
            }
        }
    }

    /// What a worker's silence means now.
    package enum Silence {
        case none
        case suspect
        case lost
    }

    /// Judges a worker's silence; a suspect one gets no more effects until it is heard.
    package mutating func judge(_ incarnation: Incarnation, _ timing: SessionTiming, at now: Moment) -> Silence {
        guard let worker = workers.slot(of: incarnation) else { return .none }
        let silence = now - workers[worker].lastHeard
        if silence >= timing.deadAfter { return .lost }
        if case .disconnected(let since) = workers[worker].health, now - since >= timing.reconnectGrace { return .lost }
        guard workers[worker].health == .good, silence >= timing.suspectAfter else { return .none }
        workers[worker].health = .suspect
        return .suspect
    }

    // MARK: Dropped reports

    /// Reports of a worker were dropped.
    package mutating func miss(_ worker: WorkerSlot) {
        workers[worker].hasMissed = true
        hasMissed = true
    }

    /// Takes the workers whose reports were dropped.
    package mutating func takeMissed() -> [WorkerSlot] {
        hasMissed = false
        return order.compactMap { incarnation in
            guard let worker = workers.slot(of: incarnation), workers[worker].hasMissed else { return nil }
            workers[worker].hasMissed = false
            return worker
        }
    }

    // MARK: What workers hold

    /// Sends an order to a worker, which then holds its effect.
    package mutating func hand(
        _ effect: EffectSlot, _ order: consuming EffectOrder, to worker: WorkerSlot, _ effects: inout Effects
    ) {
        effects[effect].place = workers[worker].hold(effect, order)
    }

    /// Removes a running effect from its worker's list; the last entry takes its place.
    package mutating func release(_ effect: EffectSlot, from worker: WorkerSlot, _ effects: inout Effects) {
        let place = effects[effect].place
        if let moved = workers[worker].release(effect, at: place) { effects[moved].place = place }
    }

    /// Marks the order of a running effect as received.
    package mutating func confirm(_ effect: EffectSlot, of worker: WorkerSlot, _ effects: inout Effects) {
        let place = effects[effect].place
        if workers[worker].holds(effect, at: place) { workers[worker].holding[place].isConfirmed = true }
    }

    /// Removes an attempt from its worker; returns whether its order was never sent, or `nil` without that worker.
    package mutating func recall(
        _ attempt: AttemptID, _ effect: EffectSlot, from incarnation: Incarnation, _ effects: inout Effects
    ) -> Bool? {
        guard let worker = workers.slot(of: incarnation) else { return nil }
        release(effect, from: worker, &effects)
        guard let position = workers[worker].outbox.orders.firstIndex(where: { $0.id == attempt }) else { return false }
        // Otherwise its handler would begin after its end.
        workers[worker].outbox.orders.remove(at: position)
        for order in workers[worker].outbox.orders[position...] {
            guard let later = effects.slot(of: order.id.effect) else { continue }
            let place = effects[later].place
            if workers[worker].holds(later, at: place) { workers[worker].holding[place].number -= 1 }
        }
        return true
    }

    /// The effects that a worker should hold, oldest first.
    package func holdings(of worker: WorkerSlot, _ effects: Effects) -> [EffectID] {
        workers[worker].holding.map { effects.key(of: $0.effect) }.sorted()
    }

    /// The workers that hold effects, in no order.
    var holders: [Incarnation] { workers.filter { !$0.value.holding.isEmpty }.map(\.key) }
}
