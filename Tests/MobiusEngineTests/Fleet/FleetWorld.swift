import MobiusEngine
import MobiusJournal
import MobiusWire

/// What may go wrong beside lost messages, broken connections and killed processes.
struct FleetTroubles: OptionSet {
    let rawValue: Int

    /// A handler sends an event that cannot be read, and goes on.
    static let unreadableInTheMiddle = FleetTroubles(rawValue: 1)
    /// A handler sends events, and then fails in a way that may pass.
    static let retryAfterEvents = FleetTroubles(rawValue: 2)
    /// A timeout may end an effect before a lost order has been sent again.
    static let hastyTimeouts = FleetTroubles(rawValue: 4)
}

/// One coordinator, its journal, its workers and the network between them, in virtual time: all that happens follows
/// from the seed.
final class FleetWorld {
    static let timing = SessionTiming(
        heartbeat: .milliseconds(100), suspectAfter: .milliseconds(300), deadAfter: .milliseconds(1000),
        reconnectGrace: .milliseconds(300), adoptionGrace: .milliseconds(200), silence: .milliseconds(500),
        resend: .milliseconds(200))

    let troubles: FleetTroubles
    var random: FleetRandom
    var now = Moment(nanoseconds: 1_000_000_000)
    var agenda = FleetAgenda()
    var journal = FleetJournal()
    var coordinator: CoordinatorMachine?
    var epoch: UInt64 = 0
    var workers: [FleetWorker]
    var connections: [UInt64: FleetConnection] = [:]
    var lastConnection: UInt64 = 0

    /// Whether things still go wrong.
    var faulty = true
    /// Whether handlers never answer.
    var frozen = false
    /// How many effects the program may ask for.
    var budget = 24
    var steps = 0
    /// What must not have happened, in sentences.
    var violations: [String] = []

    // The coordinating process's own memory.
    var applied: Set<SourceKey> = []
    var asked = 0
    var locals: Set<AttemptID> = []
    var lastCommit = Moment(nanoseconds: 0)
    var willFlush = false

    /// Outside events by key; each is sent until it is confirmed.
    var outside: [String: Payload] = [:]
    var confirmed: Set<String> = []
    /// The reports that brought an event, to hold ACKs against.
    var eventReports: Set<ReportID> = []

    init(seed: UInt64, troubles: FleetTroubles) {
        self.troubles = troubles
        random = FleetRandom(seed: seed)
        workers = (0..<random.number(2...3)).map { FleetWorker(slot: $0) }
        for slot in workers.indices { workers[slot].capacity = random.number(1...3) }
        agenda.add(.startCoordinator, at: now)
        for slot in workers.indices { agenda.add(.startWorker(slot: slot), at: now) }
        for number in 1...3 {
            outside["key \(number)"] = FleetProgram.anyEvent(&random)
            agenda.add(.outside(key: "key \(number)"), at: now + random.microseconds(0...200_000))
        }
    }

    /// Lets the next thing happen: what waits in the agenda, or a machine whose deadline has come.
    func step() {
        steps += 1
        var moment = agenda.next ?? Moment(nanoseconds: .max)
        var ticking: Int?
        for (slot, worker) in workers.enumerated() {
            guard let deadline = worker.machine?.nextDeadline, deadline < moment else { continue }
            moment = deadline
            ticking = slot
        }
        if let deadline = coordinator?.nextDeadline, deadline < moment {
            now = max(now, deadline)
            tell(.tick)
        } else if let ticking {
            now = max(now, moment)
            tell(ticking, .tick)
        } else if let event = agenda.take() {
            now = max(now, moment)
            happen(event)
        }
        if faulty, random.chance(4) { breakSomething() }
    }

    private func happen(_ event: FleetEvent) {
        switch event {
        case .toCoordinator(let connection, let bytes): arriveAtCoordinator(bytes, over: connection)
        case .toWorker(let connection, let bytes): arriveAtWorker(bytes, over: connection)
        case .connect(let slot, let life): connect(slot, life: life)
        case .handler(let slot, let life, let handler): advance(handler, slot: slot, life: life)
        case .local(let epoch, let handler): if epoch == self.epoch { advance(handler) }
        case .committed(let epoch):
            if epoch == self.epoch, let ticket = journal.commitNext() { tell(.committed(ticket)) }
        case .flushCoordinator(let epoch):
            guard epoch == self.epoch else { return }
            willFlush = false
            tell(.flush)
        case .flushWorker(let slot, let life):
            guard life == workers[slot].life else { return }
            workers[slot].willFlush = false
            tell(slot, .flush)
        case .unreachable(let epoch, let peer): if epoch == self.epoch { tell(.unreachable(peer)) }
        case .connectionEnded(let epoch): if epoch == self.epoch { tell(.connectionEnded) }
        case .startCoordinator: startCoordinator()
        case .startWorker(let slot): startWorker(slot)
        case .outside(let key): sendOutside(key)
        }
    }

    // MARK: Faults

    private func breakSomething() {
        let slot = random.number(0...(workers.count - 1))
        switch random.number(1...10) {
        case 1...4: disconnect(slot)
        case 5...6: if let connection = workers[slot].connection { connections[connection]?.muted = true }
        case 7...8: kill(slot)
        default: killCoordinator()
        }
    }

    /// The connection breaks: what is under way is lost, and the socket connects again by itself.
    func disconnect(_ slot: Int) {
        guard let connection = workers[slot].connection else { return }
        cut(slot)
        agenda.add(.connect(slot: slot, life: workers[slot].life), at: now + random.microseconds(1000...150_000))
        if connection % 2 == 0 { agenda.add(.connectionEnded(epoch: epoch), at: now) }
    }

    func cut(_ slot: Int) {
        if let connection = workers[slot].connection { connections[connection] = nil }
        workers[slot].connection = nil
    }

    /// From now on everything works.
    func calm() {
        faulty = false
        for connection in connections.keys { connections[connection]?.muted = false }
    }

    // MARK: Time on the network

    /// When a message arrives that leaves now: after those before it.
    func arrival(after last: Moment) -> Moment {
        let travel = random.chance(faulty ? 4 : 0) ? 50_000...350_000 : 50...2000
        return max(last, now + random.microseconds(travel))
    }

    /// Whether a message is lost in a full buffer.
    var isLost: Bool { faulty && random.chance(5) }

    func pauseBeforeFlush() -> Duration {
        random.chance(50) ? .zero : random.microseconds(0...1500)
    }
}
