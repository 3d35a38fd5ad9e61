import FleetTestSupport
import MobiusCore
import MobiusExtras
import Testing

@Suite struct MergedEventSourceTests {
    @Test func `a loop gets events of plain sources and of such that see the model`() {
        let (network, clock) = (TestEventSource<Int>(), TestEventSource<Int>())
        let loop = Mobius.beginnerLoop(update: { (model: Int, event: Int) in model + event })
            .withEventSource(MergedEventSource().merging(network).merging(clock.toggled { $0 >= 10 }))
            .start(from: 0)
        clock.send(1)
        network.send(10)
        clock.send(1)
        #expect(loop.latestModel == 11)
        loop.dispose()
        network.send(100)
        #expect(loop.latestModel == 11)
        #expect((network.disposed, clock.disposed) == (1, 1))
    }

    @Test func `without sources it is silent`() {
        let loop = Mobius.beginnerLoop(update: { (model: Int, event: Int) in model + event })
            .withEventSource(MergedEventSource())
            .start(from: 0)
        loop.dispatchEvent(1)
        #expect(loop.latestModel == 1)
        loop.dispose()
    }
}
