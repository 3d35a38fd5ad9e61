import MobiusTransport
import Testing

/// When a worker or client that reaches nobody warns.
struct ReachWatchTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func warningsBecomeRarer() {
        var watch = ReachWatch()
        watch.note(isReached: false, at: start)
        #expect(watch.nextWarning == at(5))
        #expect(watch.warning(at: at(4)) == nil)
        var times: [Int] = []
        for second in 0..<3000 where watch.warning(at: at(second)) != nil { times.append(second) }
        #expect(times == [5, 15, 35, 75, 155, 315, 635, 1275, 1915, 2555])
    }

    @Test func nothingIsSaidWhileACoordinatorIsReached() {
        var watch = ReachWatch()
        watch.note(isReached: true, at: start)
        #expect(watch.nextWarning == nil && watch.warning(at: at(100)) == nil)
        watch.note(isReached: false, at: at(100))
        watch.note(isReached: false, at: at(103))
        #expect(watch.warning(at: at(105))?.lasting == .seconds(5))
        watch.note(isReached: true, at: at(106))
        #expect(watch.nextWarning == nil)
        watch.note(isReached: false, at: at(200))
        #expect(watch.nextWarning == at(205), "the pauses begin anew")
    }

    @Test func theLastProblemIsTold() {
        var watch = ReachWatch()
        watch.note(isReached: false, at: start)
        watch.note(MonitorEvent(.handshakeFailed(.noDetail), endpoint: "x"))
        watch.note(MonitorEvent(.disconnected, endpoint: "x"))
        watch.note(MonitorEvent(.connectRetried, endpoint: "x"))
        #expect(watch.warning(at: at(5))?.problem == "the connection was lost")
    }
}
