import MobiusEngine
import MobiusWire

/// A worker machine with the time.
struct WorkerBench: ~Copyable {
    var machine: WorkerMachine
    var now = Moment.start
    /// What is said of orders is kept here, and not in the messages.
    var counter = OrderCounter()
    private let capacity: Int

    /// A worker that has no connection yet.
    init(
        capacity: Int = 2, seed: UInt64 = 0, silence: Duration = .seconds(5), maximumPause: Duration = .seconds(2),
        endpoints: [String] = []
    ) {
        self.capacity = capacity
        machine = WorkerMachine(
            WorkerConfiguration(
                incarnation: .ann, pools: ["pool"], build: "b", contentTypes: ["application/json"], capacity: capacity,
                timing: SessionTiming(silence: silence), maximumPause: maximumPause, seed: seed,
                endpoints: endpoints))
    }

    /// A worker in session 1 of epoch 1.
    static func joined(capacity: Int = 2, maximumPayload: UInt32 = 4 << 20) -> WorkerBench {
        var bench = WorkerBench(capacity: capacity)
        bench.play(.connected, .welcome(maximumPayload: maximumPayload))
        return bench
    }

    /// A joined worker that runs the effects of the loop's start, under attempt 1.1.
    static func running(_ count: UInt32 = 1, capacity: Int = 2) -> WorkerBench {
        var bench = joined(capacity: capacity)
        bench.play(.says(.effects((0..<count).map { AttemptID.attempt($0).order() })))
        return bench
    }

    /// One input, as it is: the dialogue itself.
    mutating func handle(_ input: WorkerInput) -> [WorkerAction] {
        counter.strip(machine.handle(counter.number(input), at: now))
    }

    /// Inputs and a flush.
    @discardableResult
    mutating func play(_ inputs: WorkerInput...) -> [WorkerAction] {
        inputs.flatMap { handle($0) } + handle(.flush)
    }

    /// Lets time pass while the coordinator says nothing.
    @discardableResult
    mutating func wait(_ duration: Duration) -> [WorkerAction] {
        let end = now + duration
        var actions: [WorkerAction] = []
        while let deadline = machine.nextDeadline, deadline <= end {
            now = deadline
            actions += play(.tick)
        }
        now = end
        return actions
    }

    func hello(credit: UInt64, journal: JournalID? = .ours, epoch: UInt64 = 1, held: HeldAttempt...) -> WorkerAction {
        let hello = Hello(
            incarnation: .ann, journal: journal, pools: ["pool"], build: "b", contentTypes: ["application/json"],
            creditTotal: credit, held: held)
        return .says(.hello(hello), session: 0, epoch: epoch)
    }
}

extension WorkerInput {
    static func says(_ message: CoordinatorMessage, session: UInt64 = 1, epoch: UInt64 = 1) -> WorkerInput {
        .received(Envelope(epoch: epoch, session: session, message: message))
    }

    static func welcome(
        session: UInt64 = 1, epoch: UInt64 = 1, journal: JournalID = .ours, heartbeat: UInt32 = 1000,
        silence: UInt32 = 5000, maximumPayload: UInt32 = 4 << 20, hello: UInt32 = 0
    ) -> WorkerInput {
        let welcome = Welcome(
            hello: hello, version: 1, journal: journal, heartbeat: heartbeat, silence: silence,
            maximumPayload: maximumPayload)
        return .says(.welcome(welcome), session: session, epoch: epoch)
    }

    /// A handler's report.
    static func report(_ id: AttemptID, _ words: String?, final: Bool = true) -> WorkerInput {
        .report(id, event: words.map { .news($0) }, final: final)
    }
}

extension WorkerAction {
    static func says(_ message: WorkerMessage, session: UInt64 = 1, epoch: UInt64 = 1) -> WorkerAction {
        .send(Envelope(epoch: epoch, session: session, message: message))
    }

    static func heartbeat(credit: UInt64, held: HeldAttempt...) -> WorkerAction {
        .says(.heartbeat(creditTotal: credit, held: held))
    }

    static func draining(held: HeldAttempt..., session: UInt64 = 1) -> WorkerAction {
        .says(.draining(held: held), session: session)
    }

    static func events(credit: UInt64, _ reports: EventReport..., session: UInt64 = 1) -> WorkerAction {
        .says(.events(creditTotal: credit, reports), session: session)
    }
}

extension AttemptID {
    /// Held, and without a word of progress.
    var silent: HeldAttempt { HeldAttempt(id: self) }

    /// Held, and with a report or a word of progress so many milliseconds ago.
    func heard(_ age: UInt32) -> HeldAttempt { HeldAttempt(id: self, progressAge: age) }
}
