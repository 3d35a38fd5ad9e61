import MobiusLauncher
import Testing

@Suite("When processes restart, and when the fleet gives up")
struct RestartTests {
    private let loop = ProcessName.coordinator("loop")
    private let one = ProcessName.worker(pool: "w", index: 1)

    private func running(_ change: (inout Supervisor.Rules) -> Void) -> Supervisor {
        var rules = Supervisor.Rules()
        change(&rules)
        var coordinatorRules = rules
        coordinatorRules.restart.condition = rules.restart.condition == .never ? .never : .onCrash
        var fleet = Supervisor(
            coordinator: loop, rules: coordinatorRules, pools: [.init("w", replicas: 1, rules: rules)])
        _ = fleet.handle(.launch, at: .zero)
        _ = fleet.handle(.started(loop, pid: 1), at: .zero)
        _ = fleet.handle(.started(one, pid: 2), at: .zero)
        return fleet
    }

    /// Lets a process end, and starts it again if the fleet wants so; whether it did.
    private func end(_ name: ProcessName, _ fleet: inout Supervisor, at now: Duration) -> Bool {
        _ = fleet.handle(.ended(name, .signaled(9)), at: now)
        guard fleet.handle(.wake, at: now + .seconds(5)).contains(.start(name)) else { return false }
        _ = fleet.handle(.started(name, pid: 3), at: now + .seconds(5))
        return true
    }

    @Test("A coordinator's end after so many restarts in the time ends the fleet with 70 and a sentence")
    func coordinatorTooOften() {
        var fleet = running { ($0.restart.times, $0.restart.within) = (2, .seconds(60)) }
        #expect(end(loop, &fleet, at: .seconds(10)))
        #expect(end(loop, &fleet, at: .seconds(40)))
        let actions = fleet.handle(.ended(loop, .signaled(9)), at: .milliseconds(69_999))
        #expect(actions.first == .note(.ended(loop, .signaled(9))))
        #expect(actions.contains(.terminate(one)))
        let last = fleet.handle(.ended(one, .exited(0)), at: .seconds(70)).last
        guard case .finish(70, let sentence?) = last else {
            Issue.record("ended with \(String(describing: last))")
            return
        }
        #expect(sentence.contains("loop ended again (signal 9), and it was restarted 2 times within 1m"))
    }

    @Test("A worker that does so is given up alone: the fleet runs on, and an operator's scale starts it anew")
    func workerTooOften() {
        var fleet = running { ($0.restart.times, $0.restart.within) = (2, .seconds(60)) }
        #expect(end(one, &fleet, at: .seconds(10)))
        #expect(end(one, &fleet, at: .seconds(40)))
        let actions = fleet.handle(.ended(one, .signaled(9)), at: .milliseconds(69_999))
        guard actions.count == 2, actions[0] == .note(.ended(one, .signaled(9))),
            case .note(.givenUp(one, let reason, left: 0)) = actions[1]
        else {
            Issue.record("not given up: \(actions)")
            return
        }
        #expect(
            reason.contains("w.1 ended again (signal 9), and it was restarted 2 times within 1m, so it is given up"))
        #expect(fleet.handle(.wake, at: .seconds(100)) == [])
        #expect(states(&fleet) == ["running", "given up"])
        guard
            case .answer(4, .refused(1, let advice)) = fleet.handle(.replace(pool: "w", request: 4), at: .seconds(101))
                .last
        else {
            Issue.record("a pool without workers was replaced")
            return
        }
        #expect(advice.contains("mobius scale w=1"))
        #expect(fleet.handle(.scale([.init("w", .fixed(1))], request: 5), at: .seconds(102)).contains(.start(one)))
        _ = fleet.handle(.started(one, pid: 7), at: .seconds(102))
        #expect(states(&fleet) == ["running", "running"])
        // It has all its restarts again.
        #expect(end(one, &fleet, at: .seconds(103)))
        #expect(end(one, &fleet, at: .seconds(110)))
        #expect(!end(one, &fleet, at: .seconds(120)))
        _ = fleet.handle(.signal(15), at: .seconds(130))
        #expect(fleet.handle(.ended(loop, .exited(0)), at: .seconds(131)).last == .finish(code: 0, sentence: nil))
    }

    private func states(_ fleet: inout Supervisor) -> [String] {
        guard case .answer(9, .processes(let processes)) = fleet.handle(.list(request: 9), at: .seconds(101)).last
        else {
            return []
        }
        return processes.map(\.state)
    }

    @Test("An automatic number of workers does not start again what was given up; the others of the pool stay")
    func noScalingOfTheGivenUp() {
        var rules = Supervisor.Rules()
        rules.restart.times = 0
        var fleet = Supervisor(coordinator: loop, pools: [.init("w", replicas: .auto(2...4), rules: rules)])
        for case .start(let name) in fleet.handle(.launch, at: .zero) {
            _ = fleet.handle(.started(name, pid: 1), at: .zero)
        }
        #expect(
            fleet.handle(.ended(one, .signaled(11)), at: .seconds(1)).contains { action in
                if case .note(.givenUp(one, _, left: 1)) = action { true } else { false }
            })
        var sample = Supervisor.Sample()
        var load = AutoScaler.Sample()
        (load.workers, load.running, load.ready, load.oldest) = (1, 1, 99, .seconds(60))
        sample.pools = ["w": load]
        let actions = fleet.handle(.status(sample, took: .zero), at: .seconds(2))
        #expect(!actions.contains { if case .start = $0 { true } else { false } })
        #expect(fleet.handle(.scale([.init("w", nil)], request: 3), at: .seconds(3)).contains(.start(one)))
    }

    @Test("What happened before the time does not count")
    func forgotten() {
        var fleet = running { ($0.restart.times, $0.restart.within) = (2, .seconds(60)) }
        #expect(end(one, &fleet, at: .seconds(10)))
        #expect(end(one, &fleet, at: .seconds(40)))
        #expect(end(one, &fleet, at: .seconds(70)))
        #expect(end(one, &fleet, at: .seconds(100)))
    }

    @Test("No restart at all: the first end is the last")
    func none() {
        var fleet = running { $0.restart.times = 0 }
        guard
            case .note(.givenUp(one, let reason, left: 0)) = fleet.handle(.ended(one, .exited(1)), at: .seconds(1)).last
        else {
            Issue.record("not given up")
            return
        }
        #expect(reason.contains("allows no restart"))
    }

    @Test(
        "Which ends are followed by a restart",
        arguments: [
            (.always, [true, true, true]), (.onFailure, [false, true, true]), (.onCrash, [false, false, true]),
            (.never, [false, false, false]),
        ] as [(RestartPolicy.Condition, [Bool])])
    func conditions(condition: RestartPolicy.Condition, wants: [Bool]) {
        for (termination, wanted) in zip([Termination.exited(0), .exited(1), .signaled(11)], wants) {
            var fleet = running { $0.restart.condition = condition }
            let actions = fleet.handle(.ended(one, termination), at: .seconds(1))
            let expected: [Supervisor.Action] =
                wanted
                ? [.note(.restarting(one, termination, delay: .milliseconds(100))), .wake(at: .milliseconds(1100))]
                : [.note(.ended(one, termination))]
            #expect(actions == expected)
        }
    }

    @Test("A coordinator that is never restarted ends the fleet by its crash")
    func coordinatorNever() {
        var fleet = running { $0.restart.condition = .never }
        #expect(fleet.handle(.ended(loop, .signaled(11)), at: .zero).contains(.terminate(one)))
        let last = fleet.handle(.ended(one, .exited(0)), at: .zero).last
        #expect(last == .finish(code: 139, sentence: nil))
    }

    @Test("Of a worker that worked before, such an end ends only the worker", arguments: [Int32(64), 77, 78, 126])
    func refusedLater(code: Int32) {
        var fleet = running { _ in }
        let actions = fleet.handle(.ended(one, .exited(code)), at: .seconds(10))
        guard actions.count == 2, case .note(.givenUp(one, let reason, left: 0)) = actions[1] else {
            Issue.record("not given up: \(actions)")
            return
        }
        #expect(reason.contains("exit code \(code)"))
    }

    @Test("Refused or misconfigured workers end the fleet with their code at its start", arguments: [Int32(77), 78])
    func refused(code: Int32) {
        var fleet = running { _ in }
        _ = fleet.handle(.ended(one, .exited(code)), at: .zero)
        guard case .finish(code, _?) = fleet.handle(.ended(loop, .exited(0)), at: .zero).last else {
            Issue.record("not ended with \(code)")
            return
        }
    }
}

@Suite("What the supervisor makes of health")
struct HealthTests {
    private let loop = ProcessName.coordinator("loop")
    private let one = ProcessName.worker(pool: "w", index: 1)

    /// A fleet whose worker began at 0 and is asked every second.
    private func running(failures: Int = 2, start: Duration = .zero) -> Supervisor {
        var rules = Supervisor.Rules()
        var health = HealthRule()
        (health.every, health.failures, health.start) = (.seconds(1), failures, start)
        rules.health = health
        rules.restart.condition = .onFailure
        var fleet = Supervisor(coordinator: loop, pools: [.init("w", replicas: 1, rules: rules)])
        _ = fleet.handle(.launch, at: .zero)
        #expect(fleet.handle(.started(loop, pid: 1), at: .zero) == [.note(.started(loop, pid: 1))])
        let begun = fleet.handle(.started(one, pid: 2), at: .zero)
        #expect(begun == [.note(.started(one, pid: 2)), .wake(at: .seconds(1))])
        return fleet
    }

    private func ask(_ fleet: inout Supervisor, at second: Int, _ problem: String?) -> [Supervisor.Action] {
        #expect(fleet.handle(.wake, at: .seconds(second)) == [.probe(one, pid: 2)])
        #expect(fleet.handle(.wake, at: .seconds(second)) == [])
        return fleet.handle(.probed(one, pid: 2, problem: problem), at: .seconds(second))
    }

    @Test("Failures in a row stop the process, and its policy starts it again")
    func failures() {
        var fleet = running()
        #expect(ask(&fleet, at: 1, "no") == [.wake(at: .seconds(2))])
        #expect(ask(&fleet, at: 2, nil) == [.wake(at: .seconds(3))])
        #expect(ask(&fleet, at: 3, "no") == [.wake(at: .seconds(4))])
        #expect(
            ask(&fleet, at: 4, "still no") == [
                .note(.unhealthy(one, problem: "still no")), .terminate(one), .wake(at: .seconds(14)),
            ])
        // It drains well, and yet this counts as a failure.
        let ended = fleet.handle(.ended(one, .exited(0)), at: .seconds(5))
        #expect(
            ended == [.note(.restarting(one, .exited(0), delay: .milliseconds(100))), .wake(at: .milliseconds(5100))])
        #expect(fleet.handle(.wake, at: .seconds(6)) == [.start(one)])
        let again = fleet.handle(.started(one, pid: 3), at: .seconds(6))
        #expect(again == [.note(.started(one, pid: 3)), .wake(at: .seconds(7))])
    }

    @Test("Failures while it starts do not count; after it was healthy once, they do")
    func start() {
        var fleet = running(failures: 1, start: .seconds(10))
        #expect(ask(&fleet, at: 1, "no") == [.wake(at: .seconds(2))])
        #expect(ask(&fleet, at: 2, nil) == [.wake(at: .seconds(3))])
        #expect(ask(&fleet, at: 3, "no").contains(.terminate(one)))
        var late = running(failures: 1, start: .seconds(3))
        #expect(ask(&late, at: 2, "no") == [.wake(at: .seconds(3))])
        #expect(ask(&late, at: 3, "no").contains(.terminate(one)))
    }

    @Test("Answers about an earlier run, or during a stop, are nobody's")
    func stale() {
        var fleet = running(failures: 1)
        #expect(fleet.handle(.wake, at: .seconds(1)) == [.probe(one, pid: 2)])
        #expect(fleet.handle(.probed(one, pid: 9, problem: "no"), at: .seconds(1)) == [])
        _ = fleet.handle(.signal(15), at: .seconds(1))
        #expect(fleet.handle(.probed(one, pid: 2, problem: "no"), at: .seconds(1)) == [])
    }
}
