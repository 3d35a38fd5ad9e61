import MobiusCore
import Testing

/// The models of a loop as a sequence.
@Suite struct LoopModelsTests {
    @Test func `it begins with the current model, has each one in order, and ends with the loop`() async {
        let loop = Diary.loop().start(from: "m")
        loop.dispatchEvent("a")
        let models = loop.models
        loop.dispatchEvent("b")
        loop.dispatchEvent("c")
        loop.dispose()
        #expect(await models.reduce(into: []) { $0.append($1) } == ["m-a", "m-a-b", "m-a-b-c"])
    }

    @Test func `several readers get the same`() async {
        let loop = Diary.loop().start(from: "m")
        let (one, two) = (loop.models, loop.models)
        loop.dispatchEvent("a")
        loop.dispose()
        #expect(await one.reduce(into: []) { $0.append($1) } == ["m", "m-a"])
        #expect(await two.reduce(into: []) { $0.append($1) } == ["m", "m-a"])
    }

    @Test func `a reader may ask for the newest only`() async {
        let loop = Diary.loop().start(from: "m")
        let models = loop.models(bufferingPolicy: .bufferingNewest(1))
        for event in ["a", "b", "c"] { loop.dispatchEvent(event) }
        loop.dispose()
        #expect(await models.reduce(into: []) { $0.append($1) } == ["m-a-b-c"])
    }

    @Test func `of a disposed loop it is empty`() async {
        let loop = Diary.loop().start(from: "m")
        loop.dispose()
        #expect(await loop.models.reduce(into: []) { $0.append($1) } == [])
    }

    @Test func `a reader that stops early is forgotten`() async {
        let loop = Diary.loop().start(from: "m")
        for await model in loop.models {
            #expect(model == "m")
            break
        }
        loop.dispatchEvent("a")
        #expect(loop.latestModel == "m-a")
    }

    @Test func `letting go of the loop ends it`() async {
        var loop: Diary.Loop? = Diary.loop().start(from: "m")
        let models = loop?.models
        loop = nil
        #expect(await models?.reduce(into: []) { $0.append($1) } == ["m"])
    }
}
