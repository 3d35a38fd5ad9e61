import MobiusEngine
import MobiusWire

/// A handler at work: so many events until its end.
struct FleetHandler {
    let attempt: AttemptID
    var left: Int
    var hasSaid = false
}

/// One place for a worker process; a new process follows each that dies.
struct FleetWorker {
    let slot: Int
    var capacity = 1
    var machine: WorkerMachine?
    /// Grows with each process.
    var life = 0
    var connection: UInt64?
    var willFlush = false
    /// Attempts whose handlers run and were not cancelled.
    var running: Set<AttemptID> = []
    /// Attempts that this process was ever told to run.
    var started: Set<AttemptID> = []
    /// The newest list that it sent.
    var held: [HeldAttempt] = []
}

// The worker processes: what their edges do with the machines' actions.
extension FleetWorld {
    func startWorker(_ slot: Int) {
        var worker = FleetWorker(slot: slot)
        worker.capacity = workers[slot].capacity
        worker.life = workers[slot].life + 1
        let pools = slot == 0 ? [FleetProgram.pool, FleetProgram.rarePool] : [FleetProgram.pool]
        worker.machine = WorkerMachine(
            WorkerConfiguration(
                incarnation: Incarnation(high: UInt64(slot), low: UInt64(worker.life)), pools: pools, build: "test",
                contentTypes: [PayloadKind.jsonContentType], capacity: worker.capacity, timing: Self.timing,
                maximumPause: .milliseconds(400), seed: random.next()))
        workers[slot] = worker
        connect(slot, life: worker.life)
    }

    func kill(_ slot: Int) {
        guard workers[slot].machine != nil else { return }
        cut(slot)
        workers[slot].machine = nil
        agenda.add(.startWorker(slot: slot), at: now + random.microseconds(1000...300_000))
    }

    func connect(_ slot: Int, life: Int) {
        guard workers[slot].life == life, workers[slot].machine != nil, workers[slot].connection == nil else { return }
        guard coordinator != nil else {
            agenda.add(.connect(slot: slot, life: life), at: now + .milliseconds(30))
            return
        }
        lastConnection += 1
        connections[lastConnection] = FleetConnection(slot: slot)
        workers[slot].connection = lastConnection
        tell(slot, .connected)
    }

    func tell(_ slot: Int, _ input: WorkerInput) {
        guard let actions = workers[slot].machine?.handle(input, at: now) else { return }
        for action in actions { perform(action, slot: slot) }
        guard input != .flush, !workers[slot].willFlush else { return }
        workers[slot].willFlush = true
        agenda.add(.flushWorker(slot: slot, life: workers[slot].life), at: now + pauseBeforeFlush())
    }

    func arriveAtWorker(_ bytes: [UInt8], over connection: UInt64) {
        guard let link = connections[connection], !link.muted else { return }
        do {
            tell(link.slot, .received(try Envelope<CoordinatorMessage>(decoding: bytes.span.bytes)))
        } catch {
            violations.append("a coordinator's message cannot be read: \(error)")
        }
    }

    private func perform(_ action: WorkerAction, slot: Int) {
        let life = workers[slot].life
        switch action {
        case .send(let envelope): send(envelope, from: slot)
        case .reconnect(let pause):
            cut(slot)
            agenda.add(.connect(slot: slot, life: life), at: now + pause)
        case .run(let order): run(order, slot: slot)
        case .cancel(let attempt):
            guard workers[slot].running.remove(attempt) != nil else { return }
            // It ends soon; whether anybody still hears that is the machine's affair.
            let handler = FleetHandler(attempt: attempt, left: -1)
            agenda.add(.handler(slot: slot, life: life, handler), at: now + random.microseconds(0...5000))
        case .note: break
        case .exit(let exit): violations.append("worker \(slot) left: \(exit)")
        }
    }

    private func run(_ order: EffectOrder, slot: Int) {
        let life = workers[slot].life
        if !journal.asked.contains(order.id.effect) { violations.append("\(order.id) ran before it was on disk") }
        if !workers[slot].started.insert(order.id).inserted {
            violations.append("\(order.id) ran twice in one process")
        }
        workers[slot].running.insert(order.id)
        if workers[slot].running.count > workers[slot].capacity {
            violations.append("worker \(slot) has too much to do")
        }
        let handler = FleetHandler(attempt: order.id, left: random.number(0...3))
        agenda.add(.handler(slot: slot, life: life, handler), at: now + timeToThink())
    }

    private func timeToThink() -> Duration {
        let slowness = random.number(1...100)
        let time = slowness == 1 ? 2_500_000...3_000_000 : slowness < 10 ? 100_000...500_000 : 100...40_000
        return random.microseconds(time)
    }

    func advance(_ handler: FleetHandler, slot: Int, life: Int) {
        guard workers[slot].life == life, !frozen else { return }
        let isCancelled = handler.left < 0
        guard isCancelled || workers[slot].running.contains(handler.attempt) else { return }
        if handler.left > 0 {
            var next = handler
            next.left -= 1
            next.hasSaid = true
            let event =
                troubles.contains(.unreadableInTheMiddle)
                ? FleetProgram.anyEvent(&random) : FleetProgram.readableEvent(&random)
            tell(slot, .report(handler.attempt, event: event, final: false))
            agenda.add(.handler(slot: slot, life: life, next), at: now + timeToThink())
            return
        }
        workers[slot].running.remove(handler.attempt)
        switch random.number(1...10) {
        case 1...2:
            let mayRetry = troubles.contains(.retryAfterEvents) || !(handler.hasSaid || isCancelled)
            let retryable = mayRetry && random.chance(70)
            tell(slot, .failed(handler.attempt, retryable: retryable, delay: 20, reason: "it did not work"))
        case 3...6: tell(slot, .report(handler.attempt, event: FleetProgram.anyEvent(&random), final: true))
        default: tell(slot, .report(handler.attempt, event: nil, final: true))
        }
    }

    private func send(_ envelope: Envelope<WorkerMessage>, from slot: Int) {
        switch envelope.message {
        case .heartbeat(_, let held): workers[slot].held = held
        case .hello(let hello): workers[slot].held = hello.held
        case .events(_, let reports):
            for report in reports where report.event != nil { eventReports.insert(report.id) }
        case .credit, .failures, .draining, .bye: break
        }
        guard let connection = workers[slot].connection, let link = connections[connection], !isLost else { return }
        var bytes: [UInt8] = []
        envelope.encode(into: &bytes)
        let moment = arrival(after: link.lastUp)
        connections[connection]?.lastUp = moment
        agenda.add(.toCoordinator(connection: connection, bytes), at: moment)
    }
}
