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
    package internal(set) var now = Moment(nanoseconds: 1_000_000_000)
    /// How far the calendar is ahead of the clock that never jumps.
    package internal(set) var calendarAhead = Duration.seconds(1_800_000_000)
    /// Told of each step, when somebody wants to read them.
    package var onTrace: ((String) -> Void)?
    package private(set) var complaints: [Complaint] = []
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
    var operations: [RequestID: EffectID] = [:]
    /// Whether things go wrong.
    var isFaulty = true
    /// Whether customers and operators want nothing new.
    var isClosing = false
    /// Whether handlers never answer.
    var isFlooding = false

    let events = TypedCoding<Program.Event>.json()
    let effects = TypedCoding<Program.Effect>.json()
    let models = TypedCoding<Program.Model>.json(sortedKeys: true)

    package init(_ scenario: Scenario<Program>, seed: UInt64) {
        self.scenario = scenario
        self.seed = seed
        chance = Chance(seed: seed)
        network = Network(faults: scenario.faults.network)
        workers = scenario.places.map { _ in nil }
        lives = scenario.places.map { _ in 0 }
        // Set for good below, once there is a `self` to complain to.
        disk = Disk(faults: scenario.faults.disk) { _, _ in }
        let planner = TypedLoop<Program>(id: .main, model: Program.initiate().model, routes: scenario.routes)
        chronicle = Chronicle(scenario, planOf: { try? planner.plan($0) }, complain: { _, _ in })
        oracle = Oracle { _, _ in }
        chronicle = Chronicle(scenario, planOf: { try? planner.plan($0) }) { [unowned self] in complain($0, $1) }
        oracle = Oracle { [unowned self] in complain($0, $1) }
        disk = Disk(faults: scenario.faults.disk) { [unowned self] records, writer in
            chronicle.committed(records, by: writer)
            oracle.committed(records)
        }
        plan(after: .zero) { $0.startCoordinator() }
        for place in workers.indices { plan(after: chance.microseconds(0...50_000)) { $0.startWorker(place) } }
        for request in scenario.requests { send(request) }
        operate()
    }

    // MARK: Steps

    package func plan(after pause: Duration, _ act: @escaping (World) -> Void) {
        agenda.plan(at: now + pause, act)
    }

    /// Lets the next thing happen: what was planned, or a machine whose deadline has come.
    package func step() {
        steps += 1
        var moment = agenda.next ?? Moment(nanoseconds: .max)
        var ticks: (() -> Void)?
        for process in [coordinator, zombie] {
            guard let process, let deadline = process.nextDeadline, deadline < moment else { continue }
            (moment, ticks) = (deadline, { process.tell(.tick) })
        }
        for process in workers {
            guard let process, let deadline = process.nextDeadline, deadline < moment else { continue }
            (moment, ticks) = (deadline, { process.tell(.tick) })
        }
        now = max(now, moment)
        if let ticks { ticks() } else if let act = agenda.take() { act(self) }
        if isFaulty, chance.happens(scenario.faults.rate) { makeTrouble() }
    }

    // MARK: Records

    func complain(_ promise: Promise, _ sentence: String) {
        trace("world", "BROKEN [\(promise.rawValue)] \(sentence)")
        complaints.append(Complaint(promise, sentence))
    }

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

    func pauseBeforeFlush() -> Duration { chance.percent(50) ? .zero : chance.microseconds(0...1500) }

    func timeToFlush() -> Duration {
        if isFaulty, chance.happens(disk.faults.slow) { return chance.milliseconds(300...3000) }
        return chance.microseconds(20...max(21, disk.faults.usualMicroseconds))
    }
}
