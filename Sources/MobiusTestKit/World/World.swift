package import MobiusCodec
package import MobiusCore
package import MobiusEngine
package import MobiusJournal
package import MobiusProgram
package import MobiusWire

/// A whole fleet in one process, in virtual time: the production machines, wire codec and typed loops, with a simulated
/// network, disk and clocks.
///
/// The fleet and the seed determine the whole run: equal ones give equal runs, step by step. Use it from one thread
/// at a time.
package final class World<Program: LoopProgram> {
    package let seed: UInt64
    package let fleet: FleetPlan<Program>
    /// The simulation of which it is a part; `nil` for one fleet alone.
    package unowned var director: (any WorldDirector<Program>)?
    package var chance: Chance
    package internal(set) var now = VirtualHandlerExecutor.start { didSet { stage?.advance(to: now) } }
    /// The difference between the calendar and the clock that never jumps.
    package internal(set) var calendarAhead = Duration.seconds(1_800_000_000)
    /// Called with each line of the detailed trace.
    package var onTrace: ((String) -> Void)?
    /// Called with each line of the trace for the program's author.
    var onLogLine: ((String) -> Void)?
    /// The number of lines for the program's author.
    private var logLineCount = 0
    /// Called with the records of each commit, after all checks.
    var onDurable: (([JournalRecord]) -> Void)?
    /// Called with committed records before the world itself calls the program with them.
    package var onCommit: (([JournalRecord]) -> Void)?
    package private(set) var violations: [Violation] = []
    /// The error in the program with which the run cannot continue.
    private(set) var failure: String?
    package internal(set) var steps = 0
    /// The number of calls of processes in a row at the present moment, while nothing else happened.
    private var ticks = 0

    package var queue = EventQueue<World>()
    var network: Network
    /// The disk of each shard's journal.
    package private(set) var disks: [Disk] = []
    package private(set) var history: History
    package private(set) var modelChecker: ModelChecker<Program>
    /// Replays what happened, in tests of apps.
    private(set) var purity: PurityCheck<Program>?

    /// The newest coordinator process of each shard.
    package var newest: [CoordinatorProcess<Program>?]
    /// The coordinator processes that were replaced but still run, the newest first.
    package var replacedCoordinators: [CoordinatorProcess<Program>] = []
    package var workers: [WorkerProcess<Program>?]
    /// The number of processes that have started in each place.
    var processCounts: [Int]
    /// The places that are cut off from the coordinator, in one direction or both.
    var partitioned: Set<Int> = []
    package var links: [UInt64: Link] = [:]
    /// The place of each link, ended ones included.
    var places: [UInt64: Int] = [:]
    package var lastLink: UInt64 = 0
    package var requests: [OpenRequest<Program>] = []
    package var lastRequest: UInt64 = 0
    /// The record of which process calls the program.
    package let callers = ProgramCallers()
    /// Whether random faults occur.
    package var isFaulty = true
    /// The number of troubles so far.
    var troubles = 0
    /// The kinds of messages to drop, one message per element.
    var messagesToDrop: [Message] = []
    /// The step at which the coordinator is to be killed.
    var crashPoint: CoordinatorStep?
    /// The number of unconfirmed events from outside.
    var openRequests = 0
    /// The time of the last occurrence other than a heartbeat.
    var lastActivity = VirtualHandlerExecutor.start
    let stage: VirtualHandlerExecutor?
    /// The slices of the loops that each shard has.
    package let slices: [SliceSet]

    package let functions: any ProgramFunctions<Program>

    /// Creates a world, in which nothing happens before ``begin()``.
    package init(_ fleet: FleetPlan<Program>, seed: UInt64) {
        self.fleet = fleet
        self.seed = seed
        chance = Chance(seed: seed)
        stage = fleet.stage
        network = Network(faults: fleet.faults.network)
        workers = fleet.places.map { _ in nil }
        processCounts = fleet.places.map { _ in 0 }
        let shards = fleet.shards
        slices = SliceSet.parts(shards)
        newest = Array(repeating: nil, count: shards)
        let functions = fleet.functions
        self.functions = functions
        // Placeholders, replaced below, where `self` can be captured.
        history = History(fleet, violated: { _, _ in })
        modelChecker = ModelChecker(functions) { _, _ in }
        history = History(fleet) { [unowned self] in violated($0, $1) }
        modelChecker = ModelChecker(functions) { [unowned self] in violated($0, $1) }
        disks = (0..<shards).map { shard in
            Disk(
                fleet.medium(), faults: fleet.faults.disk, epochs: (UInt64(shard + 1), UInt64(shards))
            ) { [unowned self] in durable($0, by: $1, on: disks[shard]) }
        }
    }

    /// Keeps all events from now on, so that they can be replayed at the end.
    func checkPurity() { purity = PurityCheck(functions) }

    /// Begins with one coordinator.
    package func begin() {
        plan(after: .zero) { $0.startCoordinator() }
        beginWorkers()
    }

    /// Begins with the coordinators that the director starts.
    package func beginWorkers() {
        for place in workers.indices { plan(after: chance.microseconds(0...50_000)) { $0.startWorker(place) } }
    }

    /// Records a commit on a shard's disk.
    private func durable(_ records: [JournalRecord], by writer: UInt64, on disk: Disk) {
        if writer != disk.epoch { violated(.lease, "epoch \(writer) commits after epoch \(disk.epoch) began") }
        onCommit?(records)
        callers.run(nil) {
            history.committed(records, by: writer)
            modelChecker.committed(records)
            purity?.committed(records)
        }
        onDurable?(records)
    }

    /// The journal has nothing of an ended loop any more.
    func removed(_ loop: LoopID) {
        history.removed(loop)
        modelChecker.removed(loop)
    }

    // MARK: Shards

    /// The shard that has a loop.
    package func shard(of loop: LoopID) -> Int { slices.firstIndex { $0.contains(loop) } ?? 0 }

    /// The shard that has an epoch.
    package func shard(of epoch: UInt64) -> Int { Int((epoch - 1) % UInt64(disks.count)) }

    /// The newest coordinator process of shard 0, which is the only one without a cluster.
    package var coordinator: CoordinatorProcess<Program>? {
        get { newest[0] }
        set { newest[0] = newValue }
    }

    /// The newest coordinator process that has a loop.
    package func coordinator(of loop: LoopID) -> CoordinatorProcess<Program>? { newest[shard(of: loop)] }

    // MARK: Steps

    package func plan(after pause: Duration, _ act: @escaping (World) -> Void) {
        queue.plan(at: now + pause, act)
    }

    /// Performs the next planned action, or calls a machine whose deadline is next.
    package func step() { step(until: Moment(nanoseconds: .max)) }

    /// Performs the next step, unless it is later than `end`: then only the time advances to `end`.
    ///
    /// - Returns: whether a step was performed.
    @discardableResult
    func step(until end: Moment) -> Bool {
        var (moment, thing) = next
        if case .coordinator = thing, skipIdleTime(until: end) { (moment, thing) = next }
        guard moment <= end else {
            now = max(now, end)
            return false
        }
        steps += 1
        ticks = moment > now ? 0 : ticks + 1
        now = max(now, moment)
        switch thing {
        case .planned:
            ticks = 0
            queue.pop()?(self)
        case .wake:
            ticks = 0
            stage?.wakeNext()
        case .coordinator(let process): process.tick()
        case .worker(let process): process.tick()
        }
        if ticks == workers.count + 1000 {
            violated(.conduct, "a process has something to do at \(now.summary), and never does it")
        }
        if isFaulty, chance.happens(fleet.faults.rate), troubles < fleet.faults.limit ?? .max { makeTrouble() }
        return true
    }

    private enum Next {
        case planned
        case wake
        case coordinator(CoordinatorProcess<Program>)
        case worker(WorkerProcess<Program>)
    }

    /// The next step and its time.
    private var next: (Moment, Next) {
        var next = Next.planned
        var moment = queue.next ?? Moment(nanoseconds: .max)
        if let wake = stage?.nextWake, wake < moment { (moment, next) = (wake, .wake) }
        for process in newest {
            guard let process, let deadline = process.nextDeadline, deadline < moment else { continue }
            (moment, next) = (deadline, .coordinator(process))
        }
        for process in replacedCoordinators {
            guard let deadline = process.nextDeadline, deadline < moment else { continue }
            (moment, next) = (deadline, .coordinator(process))
        }
        for process in workers {
            guard let process, let deadline = process.nextDeadline, deadline < moment else { continue }
            (moment, next) = (deadline, .worker(process))
        }
        return (moment, next)
    }

    // MARK: Records

    package func violated(_ promise: Promise, _ sentence: String) {
        trace("world", "BROKEN [\(promise.rawValue)] \(sentence)")
        violations.append(Violation(promise, sentence))
    }

    /// Records an error in the program, with which the run cannot continue.
    func fail(_ sentence: String) {
        if failure == nil { failure = sentence }
    }

    /// Adds a line to the trace for the program's author.
    package func log(_ who: String, _ what: @autoclosure () -> String) {
        logLineCount += 1
        lastActivity = now
        guard onLogLine != nil || onTrace != nil else { return }
        let what = what()
        trace(who, what)
        onLogLine?(
            "\(Moment(nanoseconds: now.nanoseconds - VirtualHandlerExecutor.start.nanoseconds).summary)  \(who)  \(what)"
        )
    }

    /// Changes whenever something happens that a test may wait for.
    var changeCount: Int { logLineCount + modelChecker.count + history.endings.count + history.deadLetters.count }

    package func trace(_ who: String, _ what: @autoclosure () -> String) {
        onTrace?("\(now.summary)  \(who)  \(what())")
    }

    /// The description of an event, because its bytes may differ between processes, as the order of JSON keys does.
    package func summary(_ payload: Payload, for loop: LoopID) -> String {
        guard let event = callers.run(nil, { try? functions.event(payload, for: loop) }) else {
            return "undecodable bytes"
        }
        return String("\(event)".prefix(160))
    }

    // MARK: Payloads and times

    /// The content types that workers read.
    var effectContentTypes: [String] { [PayloadKind.jsonContentType, PayloadKind.fastContentType] }

    /// Decodes the effect of an order.
    package func effect(_ order: borrowing EffectOrder) throws(CodingFailure) -> Program.Effect {
        try functions.effect(order.effect, of: order.id.effect.loop)
    }

    /// The current calendar time.
    package var wall: WallTime {
        WallTime(milliseconds: 0) + (.milliseconds(now.nanoseconds / 1_000_000) + calendarAhead)
    }

    package func payload(_ event: Program.Event, for loop: LoopID) -> Payload {
        do {
            return try functions.encode(event: event, for: loop)
        } catch {
            preconditionFailure("The simulated program has an event that cannot be encoded: \(error)")
        }
    }

    /// A payload that no program can decode.
    package func nonsense(_ bytes: Int) -> Payload {
        Payload(kind: functions.eventKinds[0], bytes: Array(repeating: UInt8(ascii: "?"), count: max(1, bytes)))
    }

    /// The time for which a driver collects more inputs before it flushes; `nil` flushes after this input.
    func pauseBeforeFlush() -> Duration? {
        if stage != nil, !isFaulty { return nil }
        return chance.percent(50) ? .zero : chance.microseconds(0...1500)
    }

    /// The additional time that a slow flush to disk may take.
    package var slowestFlush: Duration { fleet.faults.disk.slow > 0 ? .milliseconds(3000) : .zero }

    func timeToFlush() -> Duration {
        if isFaulty, chance.happens(fleet.faults.disk.slow) { return chance.milliseconds(300...3000) }
        return chance.microseconds(20...max(21, fleet.faults.disk.usualMicroseconds))
    }
}
