import MobiusLauncher
import Testing

@Suite("What the supervisor decides")
struct SupervisorTests {
    private static let loop = ProcessName.coordinator("loop")
    private static let one = ProcessName.worker(pool: "w", index: 1)
    private static let two = ProcessName.worker(pool: "w", index: 2)
    private let loop = Self.loop
    private let one = Self.one
    private let two = Self.two

    /// A fleet of which everything runs since second 0.
    private static func running(_ workers: [ProcessName] = [one, two], grace: Duration = .seconds(10)) -> Supervisor {
        var rules = Supervisor.Rules()
        rules.grace = grace
        var coordinatorRules = Supervisor.Rules(restarts: .onCrash)
        coordinatorRules.grace = grace
        var fleet = Supervisor(
            coordinator: loop, rules: coordinatorRules,
            pools: [.init("w", replicas: .fixed(workers.count), rules: rules)])
        _ = fleet.handle(.launch, at: .zero)
        for (index, name) in ([loop] + workers).enumerated() {
            _ = fleet.handle(.started(name, pid: Int32(index + 1)), at: .zero)
        }
        return fleet
    }

    @Test("A launch starts the coordinator, then the workers")
    func launch() {
        var fleet = Supervisor(coordinator: loop, pools: [.init("w", replicas: 2)])
        #expect(fleet.handle(.launch, at: .zero) == [.start(loop), .start(one), .start(two)])
        #expect(fleet.handle(.started(two, pid: 9), at: .zero) == [.note(.started(two, pid: 9))])
    }

    @Test(
        "A worker that ends is started again after the delay",
        arguments: [Termination.exited(0), .exited(1), .signaled(9)])
    func workerRestart(end: Termination) {
        var fleet = Self.running()
        #expect(
            fleet.handle(.ended(one, end), at: .seconds(3)) == [
                .note(.restarting(one, end, delay: .milliseconds(100))), .wake(at: .milliseconds(3100)),
            ])
        #expect(fleet.handle(.wake, at: .milliseconds(3099)) == [])
        #expect(fleet.handle(.wake, at: .milliseconds(3100)) == [.start(one)])
        #expect(fleet.handle(.wake, at: .milliseconds(3100)) == [])
    }

    @Test("Deaths in a row wait twice as long each, up to 5 s; 10 s of health forget them")
    func backoff() {
        var fleet = Self.running([one])
        var now = Duration.zero
        var delays: [Duration] = []
        for _ in 0..<8 {
            now += .seconds(1)
            delays.append(die(&fleet, at: &now))
        }
        #expect(delays == [100, 200, 400, 800, 1600, 3200, 5000, 5000].map { .milliseconds($0) })
        now += .milliseconds(9999)
        #expect(die(&fleet, at: &now) == .seconds(5))
        now += .seconds(10)
        #expect(die(&fleet, at: &now) == .milliseconds(100))
    }

    private func die(_ fleet: inout Supervisor, at now: inout Duration) -> Duration {
        guard case .note(.restarting(_, _, let delay)) = fleet.handle(.ended(one, .exited(1)), at: now).first else {
            Issue.record("no restart")
            return .zero
        }
        now += delay
        #expect(fleet.handle(.wake, at: now) == [.start(one)])
        _ = fleet.handle(.started(one, pid: 5), at: now)
        return delay
    }

    @Test("A coordinator that crashed is started again; the workers stay")
    func coordinatorCrash() {
        var fleet = Self.running()
        #expect(
            fleet.handle(.ended(loop, .signaled(11)), at: .seconds(1)) == [
                .note(.restarting(loop, .signaled(11), delay: .milliseconds(100))), .wake(at: .milliseconds(1100)),
            ])
        #expect(fleet.handle(.wake, at: .milliseconds(1100)) == [.start(loop)])
    }

    @Test(
        "When the coordinator exits, the workers are stopped and its code is the fleet's", arguments: [Int32(0), 1, 75])
    func coordinatorExit(code: Int32) {
        var fleet = Self.running()
        #expect(
            fleet.handle(.ended(loop, .exited(code)), at: .seconds(1)) == [
                .note(.ended(loop, .exited(code))), .note(.stopping(because: "loop exited with code \(code)")),
                .terminate(one), .terminate(two), .wake(at: .seconds(11)),
            ])
        #expect(fleet.handle(.ended(two, .exited(0)), at: .seconds(2)) == [.note(.ended(two, .exited(0)))])
        #expect(
            fleet.handle(.ended(one, .exited(0)), at: .seconds(2)) == [
                .note(.ended(one, .exited(0))), .finish(code: code, sentence: nil),
            ])
        #expect(fleet.handle(.wake, at: .seconds(11)) == [])
    }

    @Test("A signal stops the workers first, then the coordinator, each within the grace")
    func orderlyStop() {
        var fleet = Self.running()
        #expect(
            fleet.handle(.signal(15), at: .seconds(1)) == [
                .note(.stopping(because: "signal 15")), .terminate(one), .terminate(two), .wake(at: .seconds(11)),
            ])
        #expect(fleet.handle(.ended(one, .exited(0)), at: .seconds(4)) == [.note(.ended(one, .exited(0)))])
        #expect(
            fleet.handle(.ended(two, .exited(0)), at: .seconds(5)) == [
                .note(.ended(two, .exited(0))), .terminate(loop), .wake(at: .seconds(15)),
            ])
        #expect(fleet.handle(.wake, at: .seconds(11)) == [])
        #expect(
            fleet.handle(.ended(loop, .exited(0)), at: .seconds(12)) == [
                .note(.ended(loop, .exited(0))), .finish(code: 0, sentence: nil),
            ])
    }

    @Test("What does not stop within the grace is killed")
    func overdue() {
        var fleet = Self.running([one], grace: .seconds(2))
        _ = fleet.handle(.signal(2), at: .zero)
        #expect(fleet.handle(.wake, at: .seconds(2)) == [.note(.overdue(one)), .kill(one)])
        #expect(fleet.handle(.wake, at: .seconds(2)) == [])
        let next = fleet.handle(.ended(one, .signaled(9)), at: .seconds(2))
        #expect(next == [.note(.ended(one, .signaled(9))), .terminate(loop), .wake(at: .seconds(4))])
        #expect(fleet.handle(.wake, at: .seconds(4)) == [.note(.overdue(loop)), .kill(loop)])
        let last = fleet.handle(.ended(loop, .signaled(9)), at: .seconds(4))
        #expect(last == [.note(.ended(loop, .signaled(9))), .finish(code: 137, sentence: nil)])
    }

    @Test("A second signal kills everything at once")
    func secondSignal() {
        var fleet = Self.running()
        _ = fleet.handle(.signal(15), at: .zero)
        _ = fleet.handle(.ended(one, .exited(0)), at: .seconds(1))
        let actions = fleet.handle(.signal(2), at: .seconds(1))
        #expect(actions == [.kill(loop), .kill(two), .finish(code: 130, sentence: nil)])
        #expect(fleet.handle(.ended(two, .signaled(9)), at: .seconds(1)) == [])
    }

    @Test("A worker that waits for its restart is not started during a stop")
    func waitingDuringStop() {
        var fleet = Self.running([one])
        _ = fleet.handle(.ended(one, .exited(1)), at: .zero)
        let actions = fleet.handle(.signal(15), at: .milliseconds(50))
        #expect(
            actions == [.note(.stopping(because: "signal 15")), .terminate(loop), .wake(at: .milliseconds(10_050))])
        #expect(fleet.handle(.wake, at: .milliseconds(100)) == [])
    }

    @Test("A stop waits for a worker that is just being started, and stops it then")
    func startingDuringStop() {
        var fleet = Self.running([one])
        _ = fleet.handle(.ended(one, .exited(1)), at: .zero)
        _ = fleet.handle(.wake, at: .milliseconds(100))
        #expect(fleet.handle(.signal(15), at: .milliseconds(101)) == [.note(.stopping(because: "signal 15"))])
        #expect(
            fleet.handle(.started(one, pid: 7), at: .milliseconds(102)) == [
                .note(.started(one, pid: 7)), .terminate(one), .wake(at: .milliseconds(10_102)),
            ])
        let next = fleet.handle(.ended(one, .signaled(15)), at: .milliseconds(103))
        #expect(next == [.note(.ended(one, .signaled(15))), .terminate(loop), .wake(at: .milliseconds(10_103))])
    }

    @Test("A stop while a crashed coordinator waits ends with the crash's code")
    func stopAfterCrash() {
        var fleet = Self.running([])
        _ = fleet.handle(.ended(loop, .signaled(6)), at: .zero)
        let actions = fleet.handle(.signal(15), at: .zero)
        #expect(actions == [.note(.stopping(because: "signal 15")), .finish(code: 134, sentence: nil)])
    }

    @Test("A coordinator that ends while the workers stop still gives the code")
    func coordinatorEndsDuringStop() {
        var fleet = Self.running([one])
        _ = fleet.handle(.signal(15), at: .zero)
        #expect(fleet.handle(.ended(loop, .exited(3)), at: .zero) == [.note(.ended(loop, .exited(3)))])
        let last = fleet.handle(.ended(one, .exited(0)), at: .zero)
        #expect(last == [.note(.ended(one, .exited(0))), .finish(code: 3, sentence: nil)])
    }

    @Test(
        "A worker that no restart could help ends the fleet", arguments: [(Int32(64), Int32(64)), (126, 69), (127, 69)])
    func hopelessWorker(code: Int32, fleetCode: Int32) {
        var fleet = Self.running([one])
        let actions = fleet.handle(.ended(one, .exited(code)), at: .zero)
        #expect(actions.first == .note(.ended(one, .exited(code))))
        #expect(actions.contains(.terminate(loop)))
        let last = fleet.handle(.ended(loop, .exited(0)), at: .zero).last
        guard case .finish(fleetCode, let sentence?) = last else {
            Issue.record("ended with \(String(describing: last))")
            return
        }
        #expect(sentence.contains("w.1") && sentence.contains("exit code \(code)"))
    }

    @Test("A process that cannot be started at all ends the fleet")
    func cannotStart() {
        var fleet = Supervisor(coordinator: loop, pools: [.init("w", replicas: 1)])
        _ = fleet.handle(.launch, at: .zero)
        _ = fleet.handle(.started(one, pid: 2), at: .zero)
        let sentence = "loop cannot be started: no memory"
        #expect(
            fleet.handle(.failedToStart(loop, reason: "no memory"), at: .zero) == [
                .note(.stopping(because: sentence)), .terminate(one), .wake(at: .seconds(10)),
            ])
        let last = fleet.handle(.ended(one, .exited(0)), at: .zero)
        #expect(last == [.note(.ended(one, .exited(0))), .finish(code: 69, sentence: sentence)])
    }

    @Test("One that ran before and cannot be started again is tried later")
    func cannotRestart() {
        var fleet = Self.running([one])
        _ = fleet.handle(.ended(one, .signaled(9)), at: .zero)
        _ = fleet.handle(.wake, at: .milliseconds(100))
        #expect(
            fleet.handle(.failedToStart(one, reason: "no memory"), at: .milliseconds(100)) == [
                .note(.retrying(one, reason: "no memory", delay: .milliseconds(200))), .wake(at: .milliseconds(300)),
            ])
        #expect(fleet.handle(.wake, at: .milliseconds(300)) == [.start(one)])
    }
}
