import Dispatch
import FleetTestSupport
import MobiusCore
import MobiusExtras
import Testing

@Suite struct ToggledEventSourceTests {
    @Test func `it is subscribed to while the predicate holds, and only then`() {
        let source = TestEventSource<String>()
        let events = Journey<String>()
        let connection = ToggledEventSource(source) { (model: Int) in model > 0 }.connect { events.add($0) }
        #expect(source.subscribed == 0)
        connection.accept(0)
        source.send("off")
        connection.accept(1)
        connection.accept(2)
        source.send("on")
        #expect((source.subscribed, source.disposed) == (1, 0))
        connection.accept(0)
        source.send("off again")
        connection.accept(1)
        source.send("on again")
        connection.dispose()
        source.send("late")
        connection.accept(1)
        #expect((source.subscribed, source.disposed) == (2, 2))
        #expect(events.elements == ["on", "on again"])
    }

    @Test func `a clock ticks while a game is played`() {
        let clock = TestEventSource<Int>()
        let loop = Mobius.beginnerLoop(update: { (model: Int, event: Int) in max(0, model + event) })
            .withEventSource(clock.toggled { model in model > 0 })
            .start(from: 0)
        clock.send(-1)
        loop.dispatchEvent(2)
        clock.send(-1)
        #expect(clock.disposed == 0)
        clock.send(-1)
        #expect((clock.subscribed, clock.disposed) == (1, 1))
        clock.send(-1)
        loop.dispatchEvent(1)
        loop.dispose()
        #expect((clock.subscribed, clock.disposed) == (2, 2))
        #expect(loop.latestModel == 1)
    }

    @Test func `a source that ends itself with what it sends while subscribing is ended afterwards`() {
        let source = TestEventSource(sendingFirst: "first")
        let connections = Journey<Connection<Bool>>()
        let events = Journey<String>()
        let connection = source.toggled { (model: Bool) in model }.connect { event in
            events.add(event)
            for connection in connections.elements { connection.accept(false) }
        }
        connections.add(connection)
        connection.accept(true)
        #expect(events.elements == ["first"])
        #expect((source.subscribed, source.disposed) == (1, 1))
    }

    @Test func `disposing of it inside an event that comes while subscribing ends the subscription`() {
        let source = TestEventSource(sendingFirst: "first")
        let connections = Journey<Connection<Bool>>()
        let connection = source.toggled { (model: Bool) in model }.connect { _ in
            for connection in connections.elements { connection.dispose() }
        }
        connections.add(connection)
        connection.accept(true)
        #expect((source.subscribed, source.disposed) == (1, 1))
    }

    @Test func `a model that is looked at while it is disposed of switches nothing on`() {
        let source = TestEventSource<Int>()
        let (entered, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let connection = source.toggled { (_: Bool) in
            entered.signal()
            return mayGoOn.waitPatiently()
        }.connect { _ in }
        let accepted = onAnotherThread { connection.accept(true) }
        #expect(entered.waitPatiently())
        connection.dispose()
        mayGoOn.signal()
        #expect(accepted.waitPatiently())
        #expect(source.subscribed == 0)
    }

    @Test func `a source that goes on sending is not heard after dispose`() {
        let consumers = Journey<Consumer<String>>()
        let deaf = AnyEventSource<String> { consumer in
            consumers.add(consumer)
            return EmptyDisposable()
        }
        let events = Journey<String>()
        let connection = deaf.toggled { (model: Bool) in model }.connect { events.add($0) }
        connection.accept(true)
        consumers.elements[0]("on")
        connection.dispose()
        consumers.elements[0]("late")
        #expect(events.elements == ["on"])
    }

    @Test func `connections have subscriptions of their own`() {
        let source = TestEventSource<String>()
        let toggled = source.toggled { (model: Bool) in model }
        let events = Journey<String>()
        let (one, two) = (toggled.connect { events.add("1" + $0) }, toggled.connect { events.add("2" + $0) })
        one.accept(true)
        source.send("a")
        two.accept(true)
        one.accept(false)
        source.send("b")
        two.dispose()
        #expect(events.elements == ["1a", "2b"])
    }

    @Test func `threads that switch at the same time leave it as the last one said`() {
        let source = TestEventSource<Int>()
        let connection = source.toggled { (model: Bool) in model }.connect { _ in }
        let threads = (0..<4).map { thread in
            onAnotherThread {
                for turn in 0..<250 { connection.accept((thread + turn).isMultiple(of: 2)) }
            }
        }
        for thread in threads { #expect(thread.waitPatiently()) }
        connection.accept(true)
        #expect(source.subscribed - source.disposed == 1)
        connection.dispose()
        #expect(source.subscribed == source.disposed)
    }
}
