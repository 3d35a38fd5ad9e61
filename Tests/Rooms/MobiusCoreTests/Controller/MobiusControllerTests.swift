import Dispatch
import MobiusCore
import Testing

/// A controller with views, used as it is meant to be.
@Suite struct MobiusControllerTests {
    private let told = Recorder<String>()
    private let queues = Queues()

    @Test func `a view gets the first model and each that follows from its events`() async {
        let controller = Diary.loop().makeController(on: queues)
        let view = RecordingView(told, on: queues.view)
        controller.connectView(view)
        #expect(!controller.running)
        controller.start()
        #expect(controller.running)
        view.send("a")
        view.send("b")
        #expect(await told.wait(for: 3) == ["S", "S-a", "S-a-b"])
        #expect(controller.model == "S-a-b")
    }

    @Test func `several views get the same models, until they are disconnected`() async {
        let controller = Diary.loop().makeController(on: queues)
        let (one, two) = (RecordingView(), RecordingView())
        let id = controller.connectView(one)
        controller.connectView(two)
        controller.start()
        one.send("a")
        two.send("b")
        #expect(await one.told.wait(for: 3).map(\.count) == [1, 3, 5])
        #expect(await two.told.wait(for: 3).map(\.count) == [1, 3, 5])
        controller.stop()
        controller.disconnectView(id: id)
        controller.start()
        two.send("c")
        #expect(await two.told.wait(for: 6).last?.hasSuffix("-c") == true)
        #expect(one.told.values.count == 4)
        #expect(one.told.values.last == "disposed")
    }

    @Test func `it runs without a view, on the loop queue`() {
        let loopQueue = queues.loop
        let told = told
        let source = ManualEventSource()
        let update: @Sendable (String, String) -> Next<String, String> = { model, event in
            dispatchPrecondition(condition: .onQueue(loopQueue))
            return Diary.update(model, event)
        }
        let handler = Diary.handler { effect, consumer in
            dispatchPrecondition(condition: .onQueue(loopQueue))
            told.record(effect)
            consumer("answer")
        }
        let controller = Mobius.loop(update: update, effectHandler: handler).withEventSource(source)
            .makeController(on: queues)
        controller.start()
        source.send("both x")
        queues.settle()
        #expect(told.values == ["x"])
        #expect(controller.model == "S-both x-answer")
        controller.stop()
        #expect(source.told.values == ["subscribed", "disposed"])
    }

    @Test func `stop applies what was sent before, keeps the model, and the next start goes on from it`() {
        let controller = Diary.loop().makeController(on: queues)
        let view = RecordingView(told)
        controller.connectView(view)
        controller.start()
        for _ in 0..<100 { view.send("a") }
        controller.stop()
        #expect(!controller.running)
        let model = "S" + String(repeating: "-a", count: 100)
        #expect(controller.model == model)
        controller.start()
        view.send("b")
        controller.stop()
        #expect(controller.model == model + "-b")
    }

    @Test func `stop disposes of the views, whatever the view queue does, and they get nothing afterwards`() {
        let controller = Diary.loop().makeController(on: queues)
        let view = RecordingView(told, on: queues.view)
        controller.connectView(view)
        let blocked = DispatchSemaphore(value: 0)
        queues.view.async { blocked.wait() }  // so that the models queue up
        controller.start()
        view.send("a")
        controller.stop()
        #expect(told.values == ["disposed"])
        blocked.signal()
        view.send("late")
        queues.settle()
        #expect(told.values == ["disposed"])
        #expect(controller.model == "S-a")
    }

    @Test func `a view lives through a stop that a start follows at once`() async {
        let controller = Diary.loop().makeController(on: queues)
        let view = RecordingView(told, on: queues.view)
        controller.connectView(view)
        controller.start()
        _ = await told.wait(for: 1)
        let blocked = DispatchSemaphore(value: 0)
        queues.view.async { blocked.wait() }
        controller.stop()
        controller.start()
        blocked.signal()
        view.send("a")
        #expect(await told.wait(for: 4) == ["S", "disposed", "S", "S-a"])
    }

    @Test func `a view may stop the controller while it gets a model`() async {
        let controller = Diary.loop().makeController(on: queues)
        let told = told
        controller.connectView(
            AnyConnectable<String, String> { consumer in
                consumer("a")
                return Connection(
                    acceptClosure: { model in
                        told.record(model)
                        if model == "S-a" { controller.stop() }
                    }, disposeClosure: { told.record("disposed, \(controller.running ? "stopping" : "stopped")") })
            })
        controller.start()
        #expect(await told.wait(for: 3) == ["S", "S-a", "disposed, stopping"])
        queues.settle()
        #expect(!controller.running)
        #expect(told.values.count == 3)
        controller.disconnectView()  // which holds the controller
    }

    @Test func `releasing a running controller disposes of its views`() async {
        var controller: MobiusController? = Diary.loop().makeController(on: queues)
        controller?.connectView(RecordingView(told))
        controller?.start()
        _ = await told.wait(for: 1)
        controller = nil
        #expect(told.values == ["S", "disposed"])
    }

    @Test func `it counts as running from the beginning of a start to the end of a stop`() {
        let told = told
        let controller = Diary.loop().makeController(on: queues)
        controller.connectView(
            AnyConnectable<String, String> { _ in
                told.record("\(controller.running)")
                return Connection(acceptClosure: { _ in }, disposeClosure: { told.record("\(controller.running)") })
            })
        controller.start()
        controller.stop()
        #expect(told.values == ["true", "true"])
        #expect(!controller.running)
        controller.disconnectView()  // which holds the controller
    }

    @Test func `events of an earlier run are ignored by the next`() {
        let controller = Diary.loop().makeController(on: queues)
        let view = RecordingView()
        controller.connectView(view)
        controller.start()
        controller.stop()
        controller.start()
        view.send("old", run: 0)
        view.send("new", run: 1)
        controller.stop()
        #expect(controller.model == "S-new")
    }

    @Test func `initiate decides on each start, and its effects run`() {
        let told = told
        let controller = Diary.loop(told).makeController(on: queues) { model in
            First(model: model + "+", effects: ["effect of \(model)"])
        }
        for _ in 0..<2 {
            controller.start()
            controller.stop()
        }
        #expect(controller.model == "S++")
        #expect(told.values == ["effect of S", "effect of S+"])
    }

    @Test func `the logger hears of initiate once a start`() {
        let told = told
        let controller = Diary.loop().withLogger(EventPlaceTests.Log(told: told)).makeController(on: queues) { model in
            First(model: model + "+", effects: ["x"])
        }
        controller.start()
        controller.stop()
        #expect(told.values == ["willInitiate S", #"didInitiate S: S+ ["x"]"#])
    }

    @Test func `the model may be replaced while stopped`() {
        let controller = Diary.loop().makeController(on: queues)
        #expect(controller.model == "S")
        controller.replaceModel("R")
        #expect(controller.model == "R")
        let view = RecordingView()
        controller.connectView(view)
        controller.start()
        view.send("a")
        controller.stop()
        #expect(controller.model == "R-a")
    }

    @Test func `a disconnected view is not connected`() {
        let controller = Diary.loop().makeController(on: queues)
        controller.connectView(RecordingView(told))
        controller.disconnectView()
        controller.start()
        queues.settle()
        controller.stop()
        #expect(told.values == [])
    }

    @Test func `a view may stop the controller`() async {
        let told = told
        let controller = Diary.loop().makeController(on: queues)
        let view = AnyConnectable<String, String> { [weak controller] consumer in
            consumer("a")
            return Connection(
                acceptClosure: { [weak controller] model in
                    told.record(model)
                    if model == "S-a" { controller?.stop() }
                }, disposeClosure: { told.record("disposed") })
        }
        controller.connectView(view)
        controller.start()
        #expect(await told.wait(for: 3) == ["S", "S-a", "disposed"])
        #expect(!controller.running)
    }

    @Test func `events pass the builder's own transformer, on the loop queue`() {
        let loopQueue = queues.loop
        let controller = Diary.loop().withEventConsumerTransformer { consumer in
            { event in
                dispatchPrecondition(condition: .onQueue(loopQueue))
                consumer(event.uppercased())
            }
        }.makeController(on: queues)
        let view = RecordingView()
        controller.connectView(view)
        controller.start()
        view.send("a")
        controller.stop()
        #expect(controller.model == "S-A")
    }

    @Test func `letting go of a running controller ends its loop`() async {
        let told = told
        let handler = Diary.handler { _, _ in }.onDispose { told.record("handler disposed") }
        var controller: MobiusController? = Mobius.loop(update: Diary.update, effectHandler: handler)
            .makeController(on: queues)
        controller?.connectView(RecordingView(told))
        controller?.start()
        #expect(await told.wait(for: 1) == ["S"])
        controller = nil
        #expect(Set(await told.wait(for: 3)) == ["S", "handler disposed", "disposed"])
    }

    @Test(arguments: [false, true]) func `a view that keeps its consumer does not keep the loop`(stops: Bool) async {
        final class Words: Sendable {}
        weak var lastModel: Words?
        let consumers = Recorder<Consumer<String>>()
        let source = AnyEventSource<String> { consumer in
            consumers.record(consumer)
            return EmptyDisposable()
        }
        var controller: MobiusController<Words, String, String>? = Mobius.loop(
            update: { (_: Words, _: String) -> Next<Words, String> in .next(Words()) },
            effectHandler: AnyConnectable<String, String> { consumer in
                consumers.record(consumer)
                return Connection(acceptClosure: { _ in }, disposeClosure: {})
            }
        ).withEventSource(source).makeController(
            from: Words(), loopQueue: queues.loop, viewQueue: queues.view)
        controller?.connectView(
            AnyConnectable { consumer in
                consumers.record(consumer)
                return Connection(acceptClosure: { _ in }, disposeClosure: {})
            })
        controller?.start()
        for consumer in consumers.values { consumer("a") }
        queues.settle()
        lastModel = controller?.model
        #expect(lastModel != nil)
        if stops {
            controller?.stop()
            controller?.disconnectView()
        }
        controller = nil
        #expect(await eventually { lastModel == nil })
        #expect(consumers.values.count == 3)
        for consumer in consumers.values { consumer("late") }
    }

    @Test func `by default views are called on the main queue`() async {
        let controller = Diary.loop().makeController(from: "S")
        let view = RecordingView(told, on: .main)
        controller.connectView(view)
        controller.start()
        view.send("a")
        #expect(await told.wait(for: 2) == ["S", "S-a"])
        controller.stop()
    }

    @Test func `its methods can be passed as functions`() {
        let controller = Diary.loop().makeController(on: queues)
        let calls: [() -> Void] = [controller.start, controller.stop]
        for call in calls { call() }
        let replace: (String) -> Void = controller.replaceModel
        replace("R")
        #expect(controller.model == "R")
    }
}
