import MobiusLauncher
import Testing

@Suite("What the supervisor makes of orders to scale")
struct ScalingTests {
    private let loop = ProcessName.coordinator("loop")

    private func w(_ number: Int) -> ProcessName { .worker(pool: "w", index: number) }
    private func v(_ number: Int) -> ProcessName { .worker(pool: "v", index: number) }

    /// A fleet of which everything runs since second 0: so many of w, one of v.
    private func running(_ replicas: Replicas = 2) -> Supervisor {
        var fleet = Supervisor(
            coordinator: loop, pools: [.init("w", replicas: replicas), .init("v", replicas: 1)])
        for case .start(let name) in fleet.handle(.launch, at: .zero) {
            _ = fleet.handle(.started(name, pid: 1), at: .zero)
        }
        return fleet
    }

    private func scale(
        _ fleet: inout Supervisor, _ count: Int, pool: String = "w", at second: Int = 1
    ) -> [Supervisor.Action] {
        fleet.handle(.scale([.init(pool, .fixed(count))], request: 7), at: .seconds(second))
    }

    @Test("Up: new workers start under the lowest free numbers, and stay in order")
    func up() {
        var fleet = running()
        #expect(
            scale(&fleet, 4) == [
                .note(.scaling(pool: "w", from: 2, to: 4, because: "mobius scale")), .start(w(3)), .start(w(4)),
                .answer(request: 7, .scaled([.init("w", from: 2, to: 4)])),
            ])
        guard case .answer(_, .processes(let all)) = fleet.handle(.list(request: 1), at: .seconds(1)).first else {
            Issue.record("no list")
            return
        }
        #expect(all.map(\.name) == [loop, w(1), w(2), w(3), w(4), v(1)])
        #expect(all.map(\.state) == ["running", "running", "running", "starting", "starting", "running"])
        #expect(scale(&fleet, 4) == [.answer(request: 7, .scaled([.init("w", from: 4, to: 4)]))])
    }

    @Test("Down: the highest numbers drain within the grace and do not come back")
    func down() {
        var fleet = running(3)
        #expect(
            scale(&fleet, 1) == [
                .note(.scaling(pool: "w", from: 3, to: 1, because: "mobius scale")),
                .note(.retiring(w(2))), .terminate(w(2)), .wake(at: .seconds(11)),
                .note(.retiring(w(3))), .terminate(w(3)), .wake(at: .seconds(11)),
                .answer(request: 7, .scaled([.init("w", from: 3, to: 1)])),
            ])
        #expect(fleet.handle(.ended(w(2), .exited(0)), at: .seconds(2)) == [.note(.ended(w(2), .exited(0)))])
        #expect(fleet.handle(.wake, at: .seconds(11)) == [.note(.overdue(w(3))), .kill(w(3))])
        #expect(fleet.handle(.ended(w(3), .signaled(9)), at: .seconds(11)) == [.note(.ended(w(3), .signaled(9)))])
        #expect(fleet.handle(.wake, at: .seconds(30)) == [])
        #expect(scale(&fleet, 2, at: 31).contains(.start(w(2))))
    }

    @Test("A worker that waits for its restart, or is just starting, is let go, too")
    func downWhileBusy() {
        var fleet = running(2)
        _ = fleet.handle(.ended(w(2), .signaled(9)), at: .seconds(1))
        #expect(scale(&fleet, 1).contains(.note(.retiring(w(2)))))
        #expect(fleet.handle(.wake, at: .seconds(5)) == [])
        _ = scale(&fleet, 2, at: 6)
        #expect(scale(&fleet, 1, at: 6).contains(.note(.retiring(w(2)))))
        let started = fleet.handle(.started(w(2), pid: 9), at: .seconds(6))
        #expect(started == [.note(.started(w(2), pid: 9)), .terminate(w(2)), .wake(at: .seconds(16))])
        #expect(fleet.handle(.ended(w(2), .exited(0)), at: .seconds(7)) == [.note(.ended(w(2), .exited(0)))])
    }

    @Test("A late worker that the system cannot start is tried again")
    func shortage() {
        var fleet = running(1)
        _ = scale(&fleet, 2)
        let actions = fleet.handle(.failedToStart(w(2), reason: "no memory"), at: .seconds(1))
        #expect(actions.first == .note(.retrying(w(2), reason: "no memory", delay: .milliseconds(100))))
        #expect(fleet.handle(.wake, at: .seconds(2)) == [.start(w(2))])
    }

    @Test("Orders that make no sense change nothing and say why")
    func nonsense() {
        var fleet = running()
        func refusal(_ orders: [Supervisor.ScaleRequest]) -> (Int32, String)? {
            let actions = fleet.handle(.scale(orders, request: 1), at: .seconds(1))
            guard actions.count == 1, case .answer(1, .refused(let code, let sentence)) = actions[0] else {
                Issue.record("\(actions)")
                return nil
            }
            return (code, sentence)
        }
        #expect(
            refusal([.init("v", .fixed(2)), .init("ww", .fixed(2))])! == (
                64, "There is no pool 'ww' in the fleet loop. Did you mean 'w'? Its pools: w, v."
            ))
        #expect(refusal([.init("w", .fixed(1001))])?.0 == 64)
        #expect(refusal([.init("w", nil)])?.1.contains("gives w no range") == true)
        _ = fleet.handle(.signal(15), at: .seconds(1))
        #expect(refusal([.init("w", .fixed(3))])! == (75, "The fleet is stopping."))
    }

    @Test("A stop waits for workers that are being let go")
    func stopping() {
        var fleet = running(1)
        _ = scale(&fleet, 0)
        _ = fleet.handle(.signal(15), at: .seconds(1))
        #expect(fleet.handle(.ended(v(1), .exited(0)), at: .seconds(1)) == [.note(.ended(v(1), .exited(0)))])
        let last = fleet.handle(.ended(w(1), .exited(0)), at: .seconds(2))
        #expect(last == [.note(.ended(w(1), .exited(0))), .terminate(loop), .wake(at: .seconds(12))])
    }

    @Test("A pool that follows its work: asked every second, grown when work finds no room, told by an order to stop")
    func automatic() {
        var fleet = Supervisor(coordinator: loop, pools: [.init("w", replicas: .auto(1...4))])
        let begun = fleet.handle(.launch, at: .zero)
        #expect(begun == [.start(loop), .start(w(1)), .askStatus])
        _ = fleet.handle(.started(w(1), pid: 1), at: .zero)
        var sample = Supervisor.Sample()
        var pool = AutoScaler.Sample()
        (pool.workers, pool.running, pool.ready, pool.oldest) = (1, 2, 9, .seconds(3))
        sample.pools = ["w": pool]
        let grown = fleet.handle(.status(sample, took: .milliseconds(1)), at: .seconds(1))
        #expect(
            grown == [
                .note(.scaling(pool: "w", from: 1, to: 2, because: "9 waiting for 3s, 2 at once in a worker")),
                .start(w(2)), .wake(at: .seconds(2)),
            ])
        #expect(fleet.handle(.wake, at: .seconds(2)) == [.askStatus])
        // A coordinator that takes long is asked less often; one that does not answer changes nothing.
        #expect(fleet.handle(.status(nil, took: .seconds(2)), at: .seconds(4)) == [.wake(at: .seconds(5))])
        #expect(fleet.handle(.wake, at: .seconds(5)) == [.askStatus])
        let slow = fleet.handle(.status(Supervisor.Sample(), took: .milliseconds(100)), at: .seconds(6))
        #expect(slow == [.wake(at: .seconds(8))])
        _ = scale(&fleet, 1, at: 7)
        #expect(fleet.handle(.wake, at: .seconds(8)) == [])
        let again = fleet.handle(.scale([.init("w", nil)], request: 3), at: .seconds(50))
        #expect(again == [.answer(request: 3, .scaled([.init("w", from: 1, to: 1, range: 1...4)])), .askStatus])
    }
}
