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

    @Test("The end after so many restarts in the time ends the fleet with 70 and a sentence", arguments: [true, false])
    func intensity(ofCoordinator: Bool) {
        var fleet = running { ($0.restart.times, $0.restart.within) = (2, .seconds(60)) }
        let name = ofCoordinator ? loop : one
        #expect(end(name, &fleet, at: .seconds(10)))
        #expect(end(name, &fleet, at: .seconds(40)))
        let actions = fleet.handle(.ended(name, .signaled(9)), at: .milliseconds(69_999))
        #expect(actions.first == .note(.ended(name, .signaled(9))))
        let other = ofCoordinator ? one : loop
        #expect(actions.contains(.terminate(other)))
        let last = fleet.handle(.ended(other, .exited(0)), at: .seconds(70)).last
        guard case .finish(70, let sentence?) = last else {
            Issue.record("ended with \(String(describing: last))")
            return
        }
        #expect(sentence.contains("\(name) ended again (signal 9), and it was restarted 2 times within 1m"))
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
        _ = fleet.handle(.ended(one, .exited(1)), at: .seconds(1))
        let last = fleet.handle(.ended(loop, .exited(0)), at: .seconds(1)).last
        guard case .finish(70, let sentence?) = last else {
            Issue.record("ended with \(String(describing: last))")
            return
        }
        #expect(sentence.contains("allows no restart"))
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

    @Test("Refused or misconfigured workers end the fleet with their code", arguments: [Int32(77), 78])
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
