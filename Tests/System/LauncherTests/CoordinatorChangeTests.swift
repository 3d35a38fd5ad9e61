import MobiusLauncher
import Testing

@Suite("What the supervisor makes of a new coordinator")
struct CoordinatorChangeTests {
    private let loop = ProcessName.coordinator("loop")
    private let one = ProcessName.worker(pool: "w", index: 1)

    private func running(_ readiness: Supervisor.Readiness = .session, health: Bool = false) -> Supervisor {
        var rules = Supervisor.Rules(restarts: .onCrash)
        rules.readiness = readiness
        if health { rules.health = HealthRule() }
        var fleet = Supervisor(coordinator: loop, rules: rules, pools: [.init("w", replicas: 1)])
        for case .start(let name) in fleet.handle(.launch, at: .zero) {
            _ = fleet.handle(.started(name, pid: 1), at: .zero)
        }
        return fleet
    }

    private let answers = Supervisor.Input.status(.init(), took: .zero)

    private func tell(_ words: String) -> Supervisor.Action { .tell(request: 7, words) }

    /// A fleet whose new build starts in second 2.
    private func replacing(_ fleet: inout Supervisor) {
        let order = Supervisor.CoordinatorOrder(replaces: true)
        #expect(fleet.handle(.change(order, request: 7), at: .seconds(1)) == [.keep(loop, request: 7)])
        #expect(
            fleet.handle(.kept(request: 7, problem: nil), at: .seconds(1)) == [
                tell("the new build verifies the journal"), .verify(loop, request: 7),
            ])
        #expect(
            fleet.handle(.verified(request: 7, problem: nil), at: .seconds(2)) == [
                tell("the coordinator stops"), .terminate(loop), .wake(at: .seconds(12)),
            ])
        #expect(
            fleet.handle(.ended(loop, .signaled(15)), at: .seconds(2)) == [
                .note(.ended(loop, .signaled(15))), tell("the new build starts"), .start(loop),
                .wake(at: .seconds(62)),
            ])
    }

    @Test("A restart: stop, start, ready when it answers; the workers are left alone")
    func restart() {
        var fleet = running()
        #expect(
            fleet.handle(.change(.init(replaces: false), request: 7), at: .seconds(1)) == [
                tell("the coordinator stops"), .terminate(loop), .wake(at: .seconds(11)),
            ])
        #expect(
            fleet.handle(.ended(loop, .exited(0)), at: .seconds(2)) == [
                .note(.ended(loop, .exited(0))), tell("the coordinator starts"), .start(loop), .wake(at: .seconds(62)),
            ])
        #expect(fleet.handle(.started(loop, pid: 9), at: .seconds(2)) == [.note(.started(loop, pid: 9)), .askStatus])
        // It recovers, and does not answer yet.
        #expect(fleet.handle(.status(nil, took: .seconds(2)), at: .seconds(4)) == [.wake(at: .milliseconds(4200))])
        #expect(fleet.handle(.wake, at: .milliseconds(4200)) == [.askStatus])
        #expect(
            fleet.handle(answers, at: .seconds(5)) == [
                .answer(request: 7, .done("the coordinator is ready: restarted"))
            ])
    }

    @Test("A new build that becomes ready takes over, and the old one is released")
    func good() {
        var fleet = running()
        replacing(&fleet)
        _ = fleet.handle(.started(loop, pid: 9), at: .seconds(2))
        #expect(
            fleet.handle(answers, at: .seconds(3)) == [
                .discardKept, .answer(request: 7, .done("the new build is ready: replaced")),
            ])
        // A crash later is an ordinary one.
        _ = fleet.handle(.ended(loop, .signaled(9)), at: .seconds(4))
        #expect(fleet.handle(.wake, at: .seconds(5)).contains(.start(loop)))
    }

    @Test("A new build that ends is given up: the old one starts again, and after each crash")
    func ends() {
        var fleet = running()
        replacing(&fleet)
        _ = fleet.handle(.started(loop, pid: 9), at: .seconds(2))
        let reason = "it ended with exit code 3"
        #expect(
            fleet.handle(.ended(loop, .exited(3)), at: .seconds(3)) == [
                .note(.ended(loop, .exited(3))), .note(.rolledBack(loop, reason: reason)),
                tell("the new build is given up: \(reason)"), tell("the old build starts"), .startKept(loop),
                .wake(at: .seconds(63)),
            ])
        _ = fleet.handle(.started(loop, pid: 10), at: .seconds(3))
        // The first answer may be of the run before.
        #expect(fleet.handle(answers, at: .seconds(3)) == [.askStatus])
        guard case .answer(7, .refused(1, let sentence))? = fleet.handle(answers, at: .seconds(3)).first else {
            Issue.record("not refused")
            return
        }
        #expect(sentence.hasPrefix("The new build was given up: \(reason). The old build serves again"))
        _ = fleet.handle(.ended(loop, .signaled(9)), at: .seconds(4))
        #expect(fleet.handle(.wake, at: .seconds(5)).contains(.startKept(loop)))
    }

    @Test("A new build that is not ready in time is stopped, then the old one starts")
    func late() {
        var fleet = running()
        replacing(&fleet)
        _ = fleet.handle(.started(loop, pid: 9), at: .seconds(2))
        let actions = fleet.handle(.wake, at: .seconds(62))
        #expect(actions.contains(.note(.rolledBack(loop, reason: "it was not ready within 1m"))))
        #expect(actions.contains(.terminate(loop)))
        // It does not stop either.
        #expect(fleet.handle(.wake, at: .seconds(72)).contains(.kill(loop)))
        #expect(fleet.handle(.ended(loop, .signaled(9)), at: .seconds(73)).contains(.startKept(loop)))
    }

    @Test("If the old build ends, too, its policy decides")
    func bothEnd() {
        var fleet = running()
        replacing(&fleet)
        _ = fleet.handle(.started(loop, pid: 9), at: .seconds(2))
        _ = fleet.handle(.ended(loop, .exited(3)), at: .seconds(3))
        _ = fleet.handle(.started(loop, pid: 10), at: .seconds(3))
        let actions = fleet.handle(.ended(loop, .exited(74)), at: .seconds(4))
        guard case .answer(7, .refused(1, let sentence))? = actions.first else {
            Issue.record("not refused")
            return
        }
        #expect(sentence.contains("ended with exit code 74; the new build had been given up"))
        #expect(actions.contains(.terminate(one)))
    }

    @Test("What cannot be kept, or does not verify the journal, changes nothing")
    func refused() {
        var fleet = running()
        let order = Supervisor.CoordinatorOrder(replaces: true)
        _ = fleet.handle(.change(order, request: 7), at: .seconds(1))
        #expect(
            fleet.handle(.kept(request: 7, problem: "no"), at: .seconds(1)) == [
                .discardKept, .answer(request: 7, .refused(code: 1, "The coordinator was not replaced: no.")),
            ])
        _ = fleet.handle(.change(order, request: 8), at: .seconds(2))
        _ = fleet.handle(.kept(request: 8, problem: nil), at: .seconds(2))
        // The result of an earlier request is not taken for this one's.
        #expect(fleet.handle(.verified(request: 7, problem: nil), at: .seconds(2)) == [])
        let actions = fleet.handle(.verified(request: 8, problem: "it ended with exit code 74"), at: .seconds(3))
        guard actions.count == 1, case .answer(8, .refused(1, let sentence)) = actions[0] else {
            Issue.record("not refused: \(actions)")
            return
        }
        #expect(
            sentence.hasPrefix(
                "The coordinator was not replaced: the new build did not verify the journal: it ended with exit code 74. "
                    + "The build that ran before stays in use, also after a crash."))
        // What is on disk was refused, so it is not started, neither after a crash nor by a restart.
        _ = fleet.handle(.ended(loop, .signaled(9)), at: .seconds(4))
        #expect(fleet.handle(.wake, at: .seconds(5)) == [.startKept(loop)])
        _ = fleet.handle(.started(loop, pid: 5), at: .seconds(5))
        _ = fleet.handle(.change(.init(replaces: false), request: 10), at: .seconds(6))
        #expect(fleet.handle(.ended(loop, .exited(0)), at: .seconds(6)).contains(.startKept(loop)))
        _ = fleet.handle(.started(loop, pid: 6), at: .seconds(6))
        let words = "the coordinator is ready: restarted, with the build that ran before; the one on disk was refused"
        #expect(fleet.handle(answers, at: .seconds(7)).contains(.answer(request: 10, .done(words))))
        // A build that becomes ready ends that.
        let unverified = Supervisor.CoordinatorOrder(replaces: true, verifies: false)
        _ = fleet.handle(.change(unverified, request: 9), at: .seconds(8))
        #expect(fleet.handle(.kept(request: 9, problem: nil), at: .seconds(8)).contains(.terminate(loop)))
        #expect(fleet.handle(.ended(loop, .exited(0)), at: .seconds(8)).contains(.start(loop)))
        _ = fleet.handle(.started(loop, pid: 7), at: .seconds(8))
        #expect(fleet.handle(answers, at: .seconds(9)).contains(.discardKept))
        _ = fleet.handle(.ended(loop, .signaled(9)), at: .seconds(30))
        #expect(fleet.handle(.wake, at: .seconds(31)).contains(.start(loop)))
    }

    @Test("One at a time; a stop of the fleet, or the coordinator's own end, ends it")
    func meanwhile() {
        var fleet = running()
        _ = fleet.handle(.change(.init(replaces: true), request: 7), at: .seconds(1))
        guard
            case .answer(8, .refused(75, _))? = fleet.handle(.change(.init(replaces: false), request: 8), at: .zero)
                .first
        else {
            Issue.record("not refused")
            return
        }
        var stopped = fleet
        #expect(
            stopped.handle(.signal(15), at: .seconds(2)).contains(
                .answer(request: 7, .refused(code: 75, "The coordinator was not replaced: the fleet is stopping."))))
        _ = fleet.handle(.kept(request: 7, problem: nil), at: .seconds(2))
        let crash = fleet.handle(.ended(loop, .signaled(11)), at: .seconds(3))
        #expect(crash.contains(.note(.restarting(loop, .signaled(11), delay: .milliseconds(100)))))
        #expect(fleet.handle(.verified(request: 7, problem: nil), at: .seconds(3)) == [])
        // The new build was not verified to the end, so it is not what comes back.
        var back = fleet
        #expect(back.handle(.wake, at: .seconds(4)) == [.startKept(loop)])
        // Nothing can be replaced that does not run.
        guard
            case .answer(9, .refused(75, _))? = fleet.handle(.change(.init(replaces: true), request: 9), at: .zero)
                .first
        else {
            Issue.record("not refused")
            return
        }
    }

    @Test("Ready by its health, or by age without an endpoint for clients")
    func readiness() {
        var ill = running(health: true)
        _ = ill.handle(.change(.init(replaces: false), request: 7), at: .seconds(1))
        _ = ill.handle(.ended(loop, .exited(0)), at: .seconds(2))
        _ = ill.handle(.started(loop, pid: 9), at: .seconds(2))
        #expect(ill.handle(.wake, at: .seconds(12)).contains(.probe(loop, pid: 9)))
        let done = Supervisor.Action.answer(request: 7, .done("the coordinator is ready: restarted"))
        #expect(ill.handle(.probed(loop, pid: 9, problem: nil), at: .seconds(12)).contains(done))
        var silent = running(.after(.seconds(10)))
        _ = silent.handle(.change(.init(replaces: false), request: 7), at: .seconds(1))
        _ = silent.handle(.ended(loop, .exited(0)), at: .seconds(2))
        #expect(silent.handle(.started(loop, pid: 9), at: .seconds(2)).contains(.wake(at: .seconds(12))))
        #expect(silent.handle(.wake, at: .seconds(11)) == [])
        #expect(silent.handle(.wake, at: .seconds(12)) == [done])
    }

    @Test("SIGTERM of somebody else restarts the coordinator; SIGTERM of its own is an orderly end")
    func signals() {
        var fleet = running()
        #expect(
            fleet.handle(.ended(loop, .signaled(15)), at: .seconds(1)) == [
                .note(.restarting(loop, .signaled(15), delay: .milliseconds(100))), .wake(at: .milliseconds(1100)),
            ])
        _ = fleet.handle(.wake, at: .seconds(2))
        _ = fleet.handle(.started(loop, pid: 2), at: .seconds(2))
        _ = fleet.handle(.signal(2), at: .seconds(3))
        _ = fleet.handle(.ended(one, .exited(0)), at: .seconds(3))
        #expect(fleet.handle(.ended(loop, .signaled(15)), at: .seconds(4)).last == .finish(code: 0, sentence: nil))
    }
}
