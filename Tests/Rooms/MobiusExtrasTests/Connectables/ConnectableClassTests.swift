import Dispatch
import FleetTestSupport
import MobiusCore
import MobiusExtras
import Testing

@Suite struct ConnectableClassTests {
    @Test func `a subclass handles, answers, and is told of connecting and disposing`() {
        let echo = Echo()
        let answers = Journey<String>()
        let connection = echo.connect { answers.add($0) }
        connection.accept("one")
        connection.dispose()
        connection.accept("late")
        connection.dispose()
        #expect(echo.story.elements == ["connect", "handle one", "dispose"])
        #expect(answers.elements == ["hello", "one!"])
    }

    @Test func `what is sent while not connected is ignored, and it can be connected again`() {
        let echo = Echo()
        let answers = Journey<String>()
        echo.send("too early")
        echo.connect { answers.add($0) }.dispose()
        echo.send("too late")
        let second = echo.connect { answers.add("second: " + $0) }
        second.accept("two")
        #expect(answers.elements == ["hello", "second: hello", "second: two!"])
    }

    @Test func `in onDispose it is free for a new connection`() {
        let echo = Echo()
        let answers = Journey<String>()
        echo.connect { _ in }.dispose()
        echo.connect { answers.add($0) }.dispose()
        #expect(answers.elements == ["hello"])
    }

    @Test func `dispose waits for a delivery under way in another thread`() {
        let echo = Echo()
        let (entered, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let story = Journey<String>()
        let connection = echo.connect { answer in
            guard answer == "slow!" else { return }
            entered.signal()
            _ = mayGoOn.waitPatiently()
            story.add("delivered")
        }
        let sent = onAnotherThread { connection.accept("slow") }
        #expect(entered.waitPatiently())
        let disposed = onAnotherThread {
            connection.dispose()
            story.add("disposed")
        }
        #expect(disposed.staysSilent())
        mayGoOn.signal()
        #expect(sent.waitPatiently() && disposed.waitPatiently())
        #expect(story.elements == ["delivered", "disposed"])
    }

    @Test func `it may be disposed of inside a delivery`() {
        let echo = Echo()
        let connections = Journey<Connection<String>>()
        let answers = Journey<String>()
        connections.add(
            echo.connect { answer in
                answers.add(answer)
                for connection in connections.elements { connection.dispose() }
            })
        connections.elements[0].accept("one")
        echo.send("late")
        #expect(answers.elements == ["hello", "one!"])
        #expect(echo.story.elements == ["connect", "handle one", "dispose"])
    }

    @Test func `it is an effect handler like any other`() {
        let echo = Echo()
        let loop = Mobius.loop(
            update: { (model: [String], event: String) -> Next<[String], String> in
                event.hasSuffix("!") || event == "hello"
                    ? .next(model + [event]) : .dispatchEffects([event])
            }, effectHandler: echo
        ).start(from: [])
        loop.dispatchEvent("one")
        loop.dispose()
        #expect(loop.latestModel == ["hello", "one!"])
        #expect(echo.story.elements == ["connect", "handle one", "dispose"])
    }

    @Test func `as a view it may be stopped and started at once, while the view queue is busy`() {
        let echo = Echo()
        let (queue, mayGoOn) = (DispatchQueue(label: "test.view"), DispatchSemaphore(value: 0))
        let controller = Mobius.beginnerLoop(update: { (model: String, event: String) in model + event })
            .makeController(from: "", loopQueue: .global(), viewQueue: queue)
        controller.connectView(echo)
        queue.async { _ = mayGoOn.waitPatiently() }
        controller.start()
        controller.stop()
        #expect(echo.story.elements == ["connect", "dispose"])
        controller.start()
        controller.stop()
        mayGoOn.signal()
        #expect(echo.story.elements == ["connect", "dispose", "connect", "dispose"])
        #expect(controller.model == "hellohello")
    }

    @Test func `a second connection is a programmer error`() async {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            printErrorsAndLeave()
            let echo = Echo()
            let first = echo.connect { _ in }
            _ = echo.connect { _ in }
            first.dispose()
        }
        #expect(message(of: result) == "Echo is connected already: it takes one connection at a time.")
    }

    @Test func `what is not overridden does nothing`() {
        let story = Journey<Int>()
        let connectable = ConnectableClass<Int, Int>()
        let connection = connectable.connect { story.add($0) }
        connection.accept(1)
        connectable.send(2)
        connection.dispose()
        connectable.send(3)
        #expect(story.elements == [2])
    }
}

/// Answers each input with an exclamation mark, and says hello when it is connected.
private final class Echo: ConnectableClass<String, String>, @unchecked Sendable {
    let story = Journey<String>()

    override func onConnect() {
        story.add("connect")
        send("hello")
    }

    override func handle(_ input: String) {
        story.add("handle \(input)")
        send(input + "!")
    }

    override func onDispose() {
        story.add("dispose")
        send("nobody hears this")
    }
}
