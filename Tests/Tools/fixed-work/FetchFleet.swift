import MobiusCodec
import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusRuntime
import MobiusWire

/// A coordinator's and a worker's drivers, as they ship, on one thread: messages go as bytes, but not through sockets.
///
/// In each round the worker answers all effects that it was sent, so that batches always have the same size.
final class FetchFleet<Program: LoopProgram> {
    /// Which of the two is counted.
    enum Side { case coordinator, worker }

    private let side: Side
    private let coordinator: CoordinatorDriver
    private let host: DurableHost<Program>
    private let worker: WorkerDriver
    private let link = FetchLink()
    private let answers = FetchAnswers()
    private var now = Moment(nanoseconds: 1_000_000_000)
    private let count: (Program.Model) -> Int

    /// Starts both on a journal that writes at once.
    ///
    /// - Parameter count: Returns the number of effects that were answered.
    init(
        _ store: any JournalStore, _ functions: any ProgramFunctions<Program>, counts side: Side,
        _ count: @escaping (Program.Model) -> Int
    ) throws {
        self.side = side
        self.count = count
        let recovery = EffectWork.recovery(of: functions)
        let start = try JournalRecovery(store, recovery, nil, limits: .standard)
        let machine = SharedMachine(
            CoordinatorConfiguration(journal: store.identity, epoch: store.epoch), now: now)
        host = DurableHost(
            DurableHost<Program>.Dependencies(
                preparer: recovery, post: { _ in }, drain: { $0.removeAll(keepingCapacity: true) }, senders: link,
                journal: MemoryJournalWriter(store), locals: link, watchers: LoopWatchers(), breadcrumbs: nil,
                status: FleetStatus(
                    program: "fixed", build: "fixed", journal: store.identity, epoch: store.epoch,
                    started: WallTime(milliseconds: 0), maximumPayload: PayloadLimit.standard),
                loopsBegin: true, background: { $0() }, queries: MemoryJournalQueries(store)),
            start, machine)
        coordinator = CoordinatorDriver(
            machine, host: host, clientHost: host,
            transport: link, observer: link)
        let answers = answers
        let runner = EffectRunner(
            FastFetch.handlers,
            in: HandlerExecutor(submit: { (jobs: consuming [HandlerThreads.Job]) in answers.run(jobs) })
        ) { answers.outcomes.append($0) }
        worker = WorkerDriver(
            WorkerConfiguration(
                incarnation: Incarnation(high: 1, low: 1), pools: ["pool"], build: "fixed",
                contentTypes: runner.contentTypes, capacity: EffectWork.window),
            transport: link, handlers: runner, observer: link)
        try coordinator.tell(calendar: WallTime(milliseconds: 0))
        for input in start.inputs { try coordinator.tell(input) }
        worker.begin()
        worker.connected(at: now)
    }

    /// How many effects were answered.
    var answered: Int { host.loops[.main].map { count($0.typed.model) } ?? 0 }

    /// Each side takes what the other has sent.
    func round(isCounted: Bool) throws {
        now = now + .microseconds(100)
        if isCounted, side == .coordinator { try counted(coordinatorTurn) } else { try coordinatorTurn() }
        if isCounted, side == .worker { counted(workerTurn) } else { workerTurn() }
    }

    private func coordinatorTurn() throws {
        coordinator.now = now
        if coordinator.calendarIsDue <= now {
            try coordinator.tell(calendar: WallTime(milliseconds: now.nanoseconds / 1_000_000))
        }
        _ = try coordinator.takeInputs()
        for frame in link.takeReports() {
            let envelope = try Envelope<WorkerMessage>(decoding: frame.span.bytes, known: host.eventKinds)
            try coordinator.tell(.received(consume envelope, from: FetchLink.peer))
        }
        if let deadline = coordinator.machine.nextDeadline, deadline <= now { try coordinator.tell(.tick) }
        try coordinator.flush()
    }

    private func workerTurn() {
        for frame in link.takeOrders() { worker.receive(frame.span.bytes, at: now) }
        for outcome in answers.drain() { worker.handle(outcome, at: now) }
        worker.tick(at: now)
        worker.flush(at: now)
    }
}

/// What the handlers answer; they run on the one thread, when they are submitted.
// @unchecked: there is one thread.
private final class FetchAnswers: @unchecked Sendable {
    var outcomes: [HandlerOutcome] = []
    private var scratch = CodingScratch()

    func run(_ jobs: [HandlerThreads.Job]) {
        for job in jobs { job.run(&scratch) }
    }

    func drain() -> [HandlerOutcome] {
        defer { outcomes.removeAll(keepingCapacity: true) }
        return outcomes
    }
}

/// The way between the two; nobody else is there.
private final class FetchLink {
    static let peer = Peer(1)

    private var orders: [[UInt8]] = []
    private var reports: [[UInt8]] = []

    func takeOrders() -> [[UInt8]] {
        defer { orders.removeAll(keepingCapacity: true) }
        return orders
    }

    func takeReports() -> [[UInt8]] {
        defer { reports.removeAll(keepingCapacity: true) }
        return reports
    }
}

extension FetchLink: CoordinatorTransport {
    func send(_ envelope: Envelope<CoordinatorMessage>, to peer: Peer) -> Bool {
        var frame: [UInt8] = []
        envelope.encode(into: &frame)
        orders.append(frame)
        return true
    }

    func answer(_ request: RequestID, _ answer: ClientAnswer) {}
}

extension FetchLink: WorkerTransport {
    func connect(to endpoint: String?) {}
    func disconnect() { fatalError("A link without losses was closed.") }
    func send(_ message: WorkerMessage, as frame: [UInt8]) { reports.append(frame) }
}

extension FetchLink: CoordinatorObserver {
    func noted(_ note: CoordinatorNote) {}
    func failed(_ effect: EffectID, _ failure: EffectFailure) { fatalError("An effect failed: \(failure)") }
    func sent(_ orders: [EffectOrder], to peer: Peer, by machine: borrowing CoordinatorMachine) {}
    func appending(
        _ ticket: Ticket, _ records: [JournalRecord], at now: Moment, by machine: borrowing CoordinatorMachine
    ) {}
}

extension FetchLink: WorkerObserver {
    func received(_ message: CoordinatorMessage) {}
    func begins(_ orders: [EffectOrder], at now: Moment) {}
    func ended(_ id: AttemptID, _ failure: HandlerFailure?, at now: Moment) {}
    func note(_ note: WorkerNote) {}
}

extension FetchLink: LocalSenders {
    func traceparent(of request: RequestID) -> String { "" }
}

extension FetchLink: LocalHandlers {
    var isTracing: Bool { false }
    func run(_ orders: consuming [EffectOrder]) { fatalError("The program has no effects of its own process.") }
    func traceparent(of id: AttemptID) -> String { "" }
    func acknowledged(_ id: AttemptID, events: Int, bytes: Int) {}
    func ended(_ id: AttemptID) {}
    func cancel(_ id: AttemptID) {}
    func cancelAll() {}
}
