import FleetTestSupport
import MobiusCore
import MobiusExtras
import Testing

@Suite struct EventSourceMapTests {
    @Test func `events are changed on their way`() {
        let source = TestEventSource<Int>()
        let events = Journey<String>()
        let subscription = source.map { "<\($0)>" }.subscribe { events.add($0) }
        source.send(1)
        subscription.dispose()
        source.send(2)
        #expect(events.elements == ["<1>"])
        #expect(source.disposed == 1)
    }
}
