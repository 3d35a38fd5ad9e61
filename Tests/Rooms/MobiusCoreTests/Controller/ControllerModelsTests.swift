import MobiusCore
import Testing

/// The models of a controller as a sequence.
@Suite struct ControllerModelsTests {
    private let queues = Queues()

    /// Reads the sequence until `count` models have come.
    private func read(_ models: AsyncStream<String>, _ count: Int) async -> [String] {
        var read: [String] = []
        for await model in models {
            read.append(model)
            if read.count == count { break }
        }
        return read
    }

    @Test func `it begins with the kept model and goes on over stops and starts`() async {
        let controller = Diary.loop().makeController(on: queues)
        let view = RecordingView()
        controller.connectView(view)
        let models = controller.models
        for event in ["a", "b"] {
            controller.start()
            view.send(event)
            controller.stop()
        }
        #expect(await read(models, 5) == ["S", "S", "S-a", "S-a", "S-a-b"])
    }

    @Test func `of a running controller it begins with the running loop's model`() async {
        let controller = Diary.loop().makeController(on: queues)
        let view = RecordingView()
        controller.connectView(view)
        controller.start()
        view.send("a")
        queues.settle()
        let models = controller.models
        queues.settle()
        view.send("b")
        #expect(await read(models, 2) == ["S-a", "S-a-b"])
        controller.stop()
    }

    @Test func `it ends with the controller`() async {
        var controller: MobiusController? = Diary.loop().makeController(on: queues)
        let models = controller?.models
        controller = nil
        #expect(await models?.reduce(into: []) { $0.append($1) } == ["S"])
    }

    @Test func `a reader may ask for the newest only`() async {
        let controller = Diary.loop().makeController(on: queues)
        let view = RecordingView()
        controller.connectView(view)
        let models = controller.models(bufferingPolicy: .bufferingNewest(1))
        controller.start()
        for event in ["a", "b", "c"] { view.send(event) }
        controller.stop()
        #expect(await read(models, 1) == ["S-a-b-c"])
    }
}
