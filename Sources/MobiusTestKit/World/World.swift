package import MobiusCore
package import MobiusEngine
import MobiusJournal
import MobiusProgram
package import MobiusWire

/// A whole fleet in one process, in virtual time: the production machines, wire codec and typed loops, and around them a
/// network, a disk, clocks and operators that follow one seed.
///
/// Everything that happens follows from the scenario and the seed: equal ones give equal runs, step by step. It belongs
/// to one thread.
package final class World<Program: LoopProgram> {
    package let seed: UInt64
    package let scenario: Scenario<Program>
    package var chance: Chance
    package internal(set) var now = HandlerStage.start { didSet { stage?.advance(to: now) } }
    /// How far the calendar is ahead of the clock that never jumps.
    package internal(set) var calendarAhead = Duration.seconds(1_800_000_000)
    /// Told of each step, when somebody wants to read them.
    package var onTrace: ((String) -> Void)?
    /// Told of what matters to the program's author.
    var onStory: ((String) -> Void)?
    /// How many stories there were.
    private var stories = 0
    /// Told of what is on disk, last of all.
    var onDurable: (([JournalRecord]) -> Void)?
    package private(set) var complaints: [Complaint] = []
    /// Why the run cannot go on: the program is wrong.
    private(set) var failure: String?
    package internal(set) var steps = 0

    var agenda = Agenda<World>()
    var network: Network
    private(set) var disk: Disk
    private(set) var chronicle: Chronicle
    private(set) var oracle: Oracle<Program>

    /// The newest coordinator process.
    var coordinator: CoordinatorProcess<Program>?
    /// One that was replaced and does not know it.
    var zombie: CoordinatorProcess<Program>?
    var workers: [WorkerProcess<Program>?]
    /// How many processes there have been in each place.
    var lives: [Int]
    /// Places from which nothing reaches a coordinator.
    var partitioned: Set<Int> = []
    var links: [UInt64: Link] = [:]
    /// The place of each link there ever was.
    var places: [UInt64: Int] = [:]
    var lastLink: UInt64 = 0
    var requests: [OpenRequest<Program>] = []
    var lastRequest: UInt64 = 0
    /// What operators asked for.
    var operations: [RequestID: Operation] = [:]
    /// All that they ever asked for: a coordinator that was replaced may answer late.
    var operatorRequests: Set<RequestID> = []
    /// Whether things go wrong.
    var isFaulty = true
    /// How many troubles there were.
    var troubles = 0
    /// The loops there are, the first ones first.
    var loops: [LoopID]
    /// Kinds of messages of which the next one is lost.
    var losing: [Message] = []
    /// Where the coordinator is to be killed.
    var plannedEnd: CoordinatorStep?
    /// How many events from outside wait for their confirmation.
    var openRequests = 0
    /// When anything happened last but heartbeats.
    var lastStir = HandlerStage.start
    let stage: HandlerStage?
    /// Whether customers and operators want nothing new.
    var isClosing = false
    /// Whether handlers never answer.
    var isFlooding = false

    let events = ProgramCodings<Program>().events
    let effects = ProgramCodings<Program>().effects
    let models = ProgramCodings<Program>().models

    package init(_ scenario: Scenario<Program>, seed: UInt64) {
        self.scenario = scenario
        self.seed = seed
        chance = Chance(seed: seed)
        stage = scenario.stage
        loops = scenario.loops
        network = Network(faults: scenario.faults.network)
        workers = scenario.places.map { _ in nil }
        lives = scenario.places.map { _ in 0 }
        // Set for good below, once there is a `self` to complain to.
        disk = Disk(faults: scenario.faults.disk) { _, _ in }
        let planner = TypedLoop<Program>(id: .main, model: scenario.first().model, routes: scenario.routes)
        chronicle = Chronicle(scenario, planOf: { try? planner.plan($0) }, complain: { _, _ in })
        oracle = Oracle(scenario.first) { _, _ in }
        chronicle = Chronicle(scenario, planOf: { try? planner.plan($0) }) { [unowned self] in complain($0, $1) }
        oracle = Oracle(scenario.first) { [unowned self] in complain($0, $1) }
        disk = Disk(faults: scenario.faults.disk) { [unowned self] records, writer in
            chronicle.committed(records, by: writer)
            oracle.committed(records)
            onDurable?(records)
        }
        plan(after: .zero) { $0.startCoordinator() }
        for place in workers.indices { plan(after: chance.microseconds(0...50_000)) { $0.startWorker(place) } }
        for request in scenario.requests { send(request) }
        if stage == nil { operate() }
    }

    // MARK: Steps

    package func plan(after pause: Duration, _ act: @escaping (World) -> Void) {
        agenda.plan(at: now + pause, act)
    }

    /// Lets the next thing happen: what was planned, or a machine whose deadline has come.
    package func step() { step(until: Moment(nanoseconds: .max)) }

    /// Lets the next thing happen, unless that is later than `end`: then only the time passes.
    ///
    /// - Returns: whether something happened.
    @discardableResult
    func step(until end: Moment) -> Bool {
        var (moment, thing) = next
        if case .coordinator = thing, passOver(until: end) { (moment, thing) = next }
        guard moment <= end else {
            now = max(now, end)
            return false
        }
        steps += 1
        now = max(now, moment)
        switch thing {
        case .planned: agenda.take()?(self)
        case .wake: stage?.wakeNext()
        case .coordinator(let process): process.tick()
        case .worker(let process): process.tick()
        }
        if isFaulty, chance.happens(scenario.faults.rate), troubles < scenario.faults.limit ?? .max { makeTrouble() }
        return true
    }

    private enum Next {
        case planned
        case wake
        case coordinator(CoordinatorProcess<Program>)
        case worker(WorkerProcess<Program>)
    }

    /// What happens next, and when.
    private var next: (Moment, Next) {
        var next = Next.planned
        var moment = agenda.next ?? Moment(nanoseconds: .max)
        if let wake = stage?.nextWake, wake < moment { (moment, next) = (wake, .wake) }
        if let coordinator, let deadline = coordinator.nextDeadline, deadline < moment {
            (moment, next) = (deadline, .coordinator(coordinator))
        }
        if let zombie, let deadline = zombie.nextDeadline, deadline < moment {
            (moment, next) = (deadline, .coordinator(zombie))
        }
        for process in workers {
            guard let process, let deadline = process.nextDeadline, deadline < moment else { continue }
            (moment, next) = (deadline, .worker(process))
        }
        return (moment, next)
    }

    // MARK: Records

    func complain(_ promise: Promise, _ sentence: String) {
        trace("world", "BROKEN [\(promise.rawValue)] \(sentence)")
        complaints.append(Complaint(promise, sentence))
    }

    /// The program is wrong, and the run cannot go on.
    func fail(_ sentence: String) {
        if failure == nil { failure = sentence }
    }

    /// Tells what matters to the program's author.
    func tell(_ who: String, _ what: @autoclosure () -> String) {
        stories += 1
        lastStir = now
        guard onStory != nil || onTrace != nil else { return }
        let what = what()
        trace(who, what)
        onStory?("\(Moment(nanoseconds: now.nanoseconds - HandlerStage.start.nanoseconds).sketch)  \(who)  \(what)")
    }

    /// Changes whenever something happens that a test may wait for.
    var news: Int { stories + oracle.count + chronicle.endings.count + chronicle.letters.count }

    func trace(_ who: String, _ what: @autoclosure () -> String) {
        onTrace?("\(now.sketch)  \(who)  \(what())")
    }

    /// The event, in words: its bytes may differ from process to process, as the order of keys in JSON does.
    func sketch(_ payload: Payload) -> String {
        guard let event = try? events.decode(payload) else { return "nonsense" }
        return String("\(event)".prefix(160))
    }

    // MARK: Payloads and times

    /// What the calendar says.
    package var wall: WallTime {
        WallTime(milliseconds: 0) + (.milliseconds(now.nanoseconds / 1_000_000) + calendarAhead)
    }

    func payload(_ event: Program.Event) -> Payload {
        do {
            return try events.encode(event)
        } catch {
            preconditionFailure("The simulated program has an event that cannot be written: \(error)")
        }
    }

    /// What no program can read.
    func nonsense(_ bytes: Int) -> Payload {
        Payload(kind: events.kind, bytes: Array(repeating: UInt8(ascii: "?"), count: max(1, bytes)))
    }

    /// For how long a machine takes in more before it decides what to send; `nil` for not at all.
    func pauseBeforeFlush() -> Duration? {
        if stage != nil, !isFaulty { return nil }
        return chance.percent(50) ? .zero : chance.microseconds(0...1500)
    }

    /// How much longer than usual a flush may take.
    var slowestFlush: Duration { scenario.faults.disk.slow > 0 ? .milliseconds(3000) : .zero }

    func timeToFlush() -> Duration {
        if isFaulty, chance.happens(disk.faults.slow) { return chance.milliseconds(300...3000) }
        return chance.microseconds(20...max(21, disk.faults.usualMicroseconds))
    }
}
