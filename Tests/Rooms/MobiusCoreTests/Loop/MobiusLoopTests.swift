import MobiusCore
import Testing

/// What a loop does with its events, on one thread.
@Suite struct MobiusLoopTests {
    private let told = Recorder<String>()

    @Test(arguments: [Update(Diary.update), Diary.updateInPlace])
    func `when dispatchEvent returns, everything has run, in order`(_ update: Update<String, String, String>) {
        let told = told
        let source = AnyConnectable<String, String> { _ in
            Connection(acceptClosure: { told.record("source \($0)") }, disposeClosure: {})
        }
        let handler = Diary.handler { effect, consumer in
            told.record("effect \(effect)")
            if effect == "b" { consumer("answer") }
        }
        let loop = Mobius.loop(update: update, effectHandler: handler).withEventSource(source).start(from: "m")
        loop.addObserver { told.record("observer \($0)") }
        #expect(told.values == ["source m", "observer m"])
        loop.dispatchEvent("both a b")
        #expect(
            told.values.dropFirst(2) == [
                "source m-both a b", "observer m-both a b", "effect a", "effect b",
                "source m-both a b-answer", "observer m-both a b-answer",
            ])
    }

    @Test(arguments: [Update(Diary.update), Diary.updateInPlace])
    func `effects of one event come before the update of the next`(_ update: Update<String, String, String>) {
        let told = told
        let handler = Diary.handler { effect, consumer in
            told.record(effect)
            if effect == "first" {
                consumer("ask third")
                consumer("ask fourth")
            }
        }
        let loop = Mobius.loop(update: update, effectHandler: handler).start(from: "m")
        loop.dispatchEvent("ask first second")
        #expect(told.values == ["first", "second", "third", "fourth"])
    }

    @Test func `an event dispatched by an observer follows when the present one is done`() {
        let told = told
        let effects = Recorder<String>()
        let loop = Diary.loop(effects).start(from: "m")
        loop.addObserver { [weak loop] model in
            told.record("begin \(model)")
            if model == "m-both x" { loop?.dispatchEvent("later") }
            told.record("end \(model)")
        }
        loop.addObserver { told.record("second \($0)") }
        loop.dispatchEvent("both x")
        #expect(
            told.values.dropFirst(3) == [
                "begin m-both x", "end m-both x", "second m-both x",
                "begin m-both x-later", "end m-both x-later", "second m-both x-later",
            ])
    }

    @Test func `a model is published even if it equals the last; no model is published without one`() {
        let told = told
        let loop = Diary.loop().start(from: "m")
        loop.addObserver { told.record($0) }
        loop.dispatchEvent("same")
        #expect(told.values == ["m", "m"])
        loop.dispatchEvent("nothing")
        loop.dispatchEvent("ask effect")
        #expect(told.values == ["m", "m"])
    }

    @Test func `an observer gets the current model at once, and nothing after it was disposed of`() {
        let told = told
        let loop = Diary.loop().start(from: "m")
        loop.dispatchEvent("a")
        let observer = loop.addObserver { told.record("1 \($0)") }
        loop.addObserver { told.record("2 \($0)") }
        #expect(told.values == ["1 m-a", "2 m-a"])
        observer.dispose()
        observer.dispose()
        loop.dispatchEvent("b")
        #expect(told.values == ["1 m-a", "2 m-a", "2 m-a-b"])
    }

    @Test func `an observer may dispose of itself and of others while it gets a model`() {
        let told = told
        let observers = Recorder<any Disposable>()
        let loop = Diary.loop().start(from: "m")
        observers.record(
            loop.addObserver { model in
                told.record("1 \(model)")
                for observer in observers.values { observer.dispose() }
            })
        observers.record(loop.addObserver { told.record("2 \($0)") })
        #expect(told.values == ["1 m", "2 m"])
        loop.dispatchEvent("a")
        loop.dispatchEvent("b")
        #expect(told.values == ["1 m", "2 m", "1 m-a"])
    }

    @Test func `an observer added by an observer gets the current model at once`() {
        let told = told
        let loop = Diary.loop().start(from: "m")
        loop.addObserver { [weak loop] model in
            told.record("outer \(model)")
            if model == "m-a" { loop?.addObserver { told.record("inner \($0)") } }
        }
        loop.dispatchEvent("a")
        #expect(told.values == ["outer m", "outer m-a", "inner m-a"])
        loop.dispatchEvent("b")
        #expect(told.values.dropFirst(3) == ["outer m-a-b", "inner m-a-b"])
    }

    @Test(arguments: [Update(Diary.update), Diary.updateInPlace])
    func `latestModel is the model after the last event, also inside the loop`(
        _ update: Update<String, String, String>
    ) {
        let told = told
        let loop = Mobius.loop(update: update, effectHandler: Diary.handler { _, _ in }).start(from: "m")
        loop.addObserver { [weak loop] _ in told.record(loop?.latestModel ?? "gone") }
        #expect(loop.latestModel == "m")
        loop.dispatchEvent("a")
        #expect(loop.latestModel == "m-a")
        #expect(told.values == ["m", "m-a"])
        loop.dispose()
        #expect(loop.latestModel == "m-a")
    }

    @Test func `reading the model inside an in-place update is a programmer error`() async {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            printErrorsAndLeave()
            let loops = Recorder<MobiusLoop<Int, Int, Int>>()
            let update = Update<Int, Int, Int>(inPlace: { model, event in
                model += event + (loops.values.first?.latestModel ?? 0)
                return .next()
            })
            let loop = Mobius.loop(update: update, effectHandler: EffectRouter<Int, Int>()).start(from: 0)
            loops.record(loop)
            loop.dispatchEvent(1)
        }
        #expect(message(of: result).hasPrefix("The loop's model was asked for inside an update"))
    }

    @Test func `it describes itself, its model, and its end`() {
        let loop = Diary.loop().start(from: "model")
        #expect(String(describing: loop) == #"MobiusLoop<String, String, String>{ "model" }"#)
        loop.dispose()
        #expect(String(describing: loop) == "disposed MobiusLoop<String, String, String>!")
    }

    @Test func `a loop of a program runs its update`() {
        let loop = Mobius.loop(Tally.self, effectHandler: EffectRouter<Never, Int>())
            .start(from: Tally.initiate().model)
        loop.dispatchEvent(2)
        loop.dispatchEvent(3)
        #expect(loop.latestModel == 15)
    }

    enum Tally: LoopProgram {
        static func initiate() -> First<Int, Never> { First(model: 10) }
        static func update(_ model: Int, _ event: Int) -> Next<Int, Never> { .next(model + event) }
    }

    @Test func `an in-place update copies nothing, whoever observes`() {
        // The identity of an array's memory tells whether it was copied.
        let update = Update<[Int], Int, Never>(inPlace: { model, event in
            model[event] += 1
            return .next()
        })
        let addresses = Recorder<UInt>()
        let loop = Mobius.loop(update: update, effectHandler: EffectRouter<Never, Int>())
            .start(from: Array(repeating: 0, count: 1000))
        loop.addObserver { model in
            addresses.record(model.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) })
        }
        for position in 0..<10 { loop.dispatchEvent(position) }
        // The first event copies, because the model that the loop was started from is still this test's.
        #expect(Set(addresses.values.dropFirst()).count == 1)
    }
}
