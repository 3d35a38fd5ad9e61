import MobiusLauncher
import Testing

@Suite("What the supervisor makes of a replacement")
struct ReplacementTests {
    private let loop = ProcessName.coordinator("loop")

    private func w(_ number: Int) -> ProcessName { .worker(pool: "w", index: number) }

    /// A fleet of two workers that run since second 0, with a replacement begun in second 1.
    private func replacing(_ readiness: Supervisor.Readiness = .session, health: Bool = false) -> Supervisor {
        var rules = Supervisor.Rules()
        rules.readiness = readiness
        if health { rules.health = HealthRule() }
        var fleet = Supervisor(coordinator: loop, pools: [.init("w", replicas: 2, rules: rules)])
        for case .start(let name) in fleet.handle(.launch, at: .zero) {
            _ = fleet.handle(.started(name, pid: 1), at: .zero)
        }
        let begun = fleet.handle(.replace(pool: "w", request: 7), at: .seconds(1))
        let asks = readiness == .session && !health
        #expect(
            begun == [.start(w(3)), .tell(request: 7, "w.3 starts"), .wake(at: .seconds(61))]
                + (asks ? [.askStatus] : []))
        return fleet
    }

    private func sessions(_ names: String...) -> Supervisor.Input {
        var sample = Supervisor.Sample()
        sample.sessions = Set(names)
        return .status(sample, took: .zero)
    }

    @Test("One new, one old, until all are replaced; an old one drains only when the new one has joined")
    func whole() {
        var fleet = replacing()
        // Not yet: it does not even run.
        #expect(fleet.handle(sessions("w.1", "w.2", "w.3"), at: .seconds(1)) == [.wake(at: .milliseconds(1200))])
        #expect(fleet.handle(.started(w(3), pid: 3), at: .seconds(2)) == [.note(.started(w(3), pid: 3)), .askStatus])
        #expect(fleet.handle(sessions("w.1", "w.2"), at: .seconds(2)) == [.wake(at: .milliseconds(2200))])
        #expect(fleet.handle(.wake, at: .milliseconds(2200)) == [.askStatus])
        #expect(
            fleet.handle(sessions("w.1", "w.2", "w.3"), at: .seconds(3)) == [
                .note(.replacing(w(1), by: w(3))), .tell(request: 7, "w.3 is ready, w.1 drains"),
                .note(.retiring(w(1))), .terminate(w(1)), .wake(at: .seconds(13)),
            ])
        #expect(
            fleet.handle(.ended(w(1), .exited(0)), at: .seconds(4)) == [
                .note(.ended(w(1), .exited(0))), .start(w(1)), .tell(request: 7, "w.1 starts"), .wake(at: .seconds(64)),
                .askStatus,
            ])
        _ = fleet.handle(.started(w(1), pid: 4), at: .seconds(4))
        #expect(fleet.handle(sessions("w.1", "w.2", "w.3"), at: .seconds(5)).contains(.terminate(w(2))))
        #expect(
            fleet.handle(.ended(w(2), .exited(0)), at: .seconds(6)) == [
                .note(.ended(w(2), .exited(0))), .answer(request: 7, .done("w: 2 of 2 replaced")),
            ])
    }

    @Test("Ready by age, where the topology says so")
    func byAge() {
        var fleet = replacing(.after(.seconds(5)))
        let started = fleet.handle(.started(w(3), pid: 3), at: .seconds(2))
        #expect(started == [.note(.started(w(3), pid: 3)), .wake(at: .seconds(7))])
        #expect(fleet.handle(.wake, at: .milliseconds(6999)) == [])
        #expect(fleet.handle(.wake, at: .seconds(7)).contains(.terminate(w(1))))
    }

    @Test("Ready when its health command says so")
    func byHealth() {
        var fleet = replacing(health: true)
        _ = fleet.handle(.started(w(3), pid: 3), at: .seconds(2))
        #expect(fleet.handle(.wake, at: .seconds(12)).contains(.probe(w(3), pid: 3)))
        #expect(fleet.handle(.probed(w(3), pid: 3, problem: "no"), at: .seconds(12)) == [.wake(at: .seconds(22))])
        _ = fleet.handle(.wake, at: .seconds(22))
        #expect(fleet.handle(.probed(w(3), pid: 3, problem: nil), at: .seconds(22)).contains(.terminate(w(1))))
    }

    @Test(
        "A new worker that ends, or cannot even be started, leaves the old ones and the fleet",
        arguments: [true, false])
    func newcomerEnds(hasStarted: Bool) {
        var fleet = replacing()
        let reason =
            hasStarted ? "w.3 was not ready: it ended with exit code 64" : "w.3 was not ready: it cannot be started: no"
        let answer = Supervisor.Action.answer(
            request: 7, .refused(code: 1, "\(reason); 0 of 2 were replaced, the others stay."))
        let failed: [Supervisor.Action] = [.note(.replacementFailed(pool: "w", reason: reason)), answer]
        if hasStarted {
            _ = fleet.handle(.started(w(3), pid: 3), at: .seconds(2))
            let actions = fleet.handle(.ended(w(3), .exited(64)), at: .seconds(3))
            #expect(actions == [.note(.ended(w(3), .exited(64)))] + failed)
        } else {
            #expect(fleet.handle(.failedToStart(w(3), reason: "no"), at: .seconds(3)) == failed)
        }
        // And another one may begin.
        #expect(fleet.handle(.replace(pool: "w", request: 8), at: .seconds(4)).contains(.start(w(3))))
    }

    @Test("A new worker that is not ready in time is let go")
    func tooLate() {
        var fleet = replacing()
        _ = fleet.handle(.started(w(3), pid: 3), at: .seconds(2))
        let actions = fleet.handle(.wake, at: .seconds(61))
        #expect(actions.contains(.terminate(w(3))))
        #expect(
            actions.contains(
                .answer(
                    request: 7,
                    .refused(code: 1, "w.3 was not ready within 60s; 0 of 2 were replaced, the others stay."))))
        #expect(!actions.contains(.terminate(w(1))))
    }

    @Test("An old worker that crashes meanwhile comes back as an old one, and is replaced in its turn")
    func oldCrashes() {
        var fleet = replacing()
        _ = fleet.handle(.started(w(3), pid: 3), at: .seconds(2))
        #expect(fleet.handle(.ended(w(1), .signaled(9)), at: .seconds(2)).first != .note(.ended(w(1), .signaled(9))))
        // While it waits for its restart, the new one becomes ready: it need not come back.
        let actions = fleet.handle(sessions("w.2", "w.3"), at: .seconds(2))
        #expect(actions.contains(.note(.retiring(w(1)))) && actions.contains(.start(w(1))))
    }

    @Test("Meanwhile the pool is neither scaled nor replaced again; a stop ends it")
    func meanwhile() {
        var fleet = replacing()
        for input in [
            Supervisor.Input.scale([.init("w", .fixed(5))], request: 9), .replace(pool: "w", request: 9),
        ] {
            guard case .answer(9, .refused(75, _)) = fleet.handle(input, at: .seconds(2)).first else {
                Issue.record("not refused")
                return
            }
        }
        let actions = fleet.handle(.signal(15), at: .seconds(2))
        #expect(actions.contains(.answer(request: 7, .refused(code: 75, "The fleet is stopping."))))
        _ = fleet.handle(.started(w(3), pid: 3), at: .seconds(2))
        for number in 1...3 { _ = fleet.handle(.ended(w(number), .exited(0)), at: .seconds(3)) }
        #expect(fleet.handle(.ended(loop, .exited(0)), at: .seconds(3)).last == .finish(code: 0, sentence: nil))
    }
}
