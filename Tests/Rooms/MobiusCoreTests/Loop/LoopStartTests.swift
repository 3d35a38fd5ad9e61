import MobiusCore
import Testing

/// How loops are configured and started.
@Suite struct EventPlaceTests {
    private let told = Recorder<String>()

    @Test func `effect handler and event source are connected first, then come effects, then events sent meanwhile`() {
        let told = told
        let handler = AnyConnectable<String, String> { consumer in
            told.record("connect handler")
            consumer("early")
            return Connection(acceptClosure: { told.record("effect \($0)") }, disposeClosure: {})
        }
        let source = AnyEventSource<String> { consumer in
            told.record("subscribe")
            consumer("early too")
            return AnonymousDisposable {}
        }
        let update: @Sendable (String, String) -> Next<String, String> = { model, event in
            told.record("update \(model) \(event)")
            return .next(model + "-" + event)
        }
        let loop = Mobius.loop(update: update, effectHandler: handler).withEventSource(source)
            .start(from: "m", effects: ["x", "y"])
        #expect(
            told.values == [
                "connect handler", "subscribe", "effect x", "effect y", "update m early", "update m-early early too",
            ])
        #expect(loop.latestModel == "m-early-early too")
    }

    @Test func `a connectable event source gets the first model before the first effect`() {
        let told = told
        let source = AnyConnectable<String, String> { consumer in
            Connection(
                acceptClosure: { model in
                    told.record("source \(model)")
                    if model == "m" { consumer("seen") }
                }, disposeClosure: {})
        }
        let loop = Diary.loop(told).withEventSource(source).start(from: "m", effects: ["x"])
        #expect(told.values == ["source m", "x", "source m-seen"])
        loop.dispose()
    }

    @Test func `events of the source reach the loop until it ends`() {
        let source = ManualEventSource()
        let loop = Diary.loop().withEventSource(source).start(from: "m")
        source.send("a")
        #expect(loop.latestModel == "m-a")
        loop.dispose()
        source.send("b")
        #expect(loop.latestModel == "m-a")
        #expect(source.told.values == ["subscribed", "disposed"])
    }

    @Test func `the last event source set is the one used`() {
        let (first, second) = (ManualEventSource(), ManualEventSource())
        let loop = Diary.loop().withEventSource(first).withEventSource(second).start(from: "m")
        #expect(first.told.values == [])
        #expect(second.told.values == ["subscribed"])
        loop.dispose()
    }

    @Test func `all events pass through the consumer transformer`() {
        let source = ManualEventSource()
        let handler = Diary.handler { effect, consumer in consumer("answer to \(effect)") }
        let loop = Mobius.loop(update: Diary.update, effectHandler: handler).withEventSource(source)
            .withEventConsumerTransformer { consumer in { event in consumer(event.replacing("b", with: "B")) } }
            .start(from: "m")
        loop.dispatchEvent("b")
        source.send("bar")
        loop.dispatchEvent("ask x")
        #expect(loop.latestModel == "m-B-Bar-answer to x")
        loop.unguardedDispatchEvent("c")
        #expect(loop.latestModel == "m-B-Bar-answer to x-c")
    }

    @Test func `of two transformers the later one gets an event first`() {
        let loop = Diary.loop()
            .withEventConsumerTransformer { consumer in { event in consumer(event + "1") } }
            .withEventConsumerTransformer { consumer in { event in consumer(event + "2") } }
            .start(from: "m")
        loop.dispatchEvent("e")
        #expect(loop.latestModel == "m-e21")
    }

    @Test func `an event that the transformer drops does not happen`() {
        let loop = Diary.loop()
            .withEventConsumerTransformer { consumer in { event in if event != "drop" { consumer(event) } } }
            .start(from: "m")
        loop.dispatchEvent("drop")
        loop.dispatchEvent("keep")
        #expect(loop.latestModel == "m-keep")
    }

    @Test func `a builder is a value: what is added to one does not show in the other`() {
        let source = ManualEventSource()
        let plain = Diary.loop()
        let sourced = plain.withEventSource(source)
        let loop = plain.start(from: "m")
        #expect(source.told.values == [])
        let other = sourced.start(from: "m")
        #expect(source.told.values == ["subscribed"])
        source.send("a")
        #expect((loop.latestModel, other.latestModel) == ("m", "m-a"))
    }

    @Test(arguments: [Update(Diary.update), Diary.updateInPlace])
    func `the logger hears of the start and of each update, before and after`(
        _ update: Update<String, String, String>
    ) {
        let told = told
        let loop = Mobius.loop(update: update, effectHandler: Diary.handler { _, _ in })
            .withLogger(Log(told: told)).start(from: "m", effects: ["x"])
        loop.addObserver { told.record("observer \($0)") }
        loop.dispatchEvent("both y")
        loop.dispatchEvent("nothing")
        #expect(
            told.values == [
                "willInitiate m", #"didInitiate m: m ["x"]"#, "observer m",
                "willUpdate m both y", #"didUpdate m both y: ("m-both y", ["y"])"#, "observer m-both y",
                "willUpdate m-both y nothing", "didUpdate m-both y nothing: (nil, [])",
            ])
    }

    @Test func `a logger needs to implement only what it wants to hear`() {
        let loop = Diary.loop().withLogger(Deaf()).start(from: "m")
        loop.dispatchEvent("a")
        #expect(loop.latestModel == "m-a")
    }

    struct Deaf: MobiusLogger {
        typealias Model = String
        typealias Event = String
        typealias Effect = String
    }

    struct Log: MobiusLogger {
        let told: Recorder<String>

        func willInitiate(model: String) { told.record("willInitiate \(model)") }

        func didInitiate(model: String, first: First<String, String>) {
            told.record("didInitiate \(model): \(first.model) \(first.effects)")
        }

        func willUpdate(model: String, event: String) { told.record("willUpdate \(model) \(event)") }

        func didUpdate(model: String, event: String, next: Next<String, String>) {
            told.record("didUpdate \(model) \(event): \(next)")
        }
    }
}
