import Dispatch
import Foundation
import MobiusCore
import Synchronization
import Testing

/// The end of a loop: nothing comes after it, and nobody crashes.
@Suite struct LoopDisposeTests {
    private let told = Recorder<String>()

    @Test func `event source and effect handler are disposed of, once`() {
        let told = told
        let source = ManualEventSource()
        let handler = Diary.handler { _, _ in }.onDispose { told.record("handler disposed") }
        let loop = Mobius.loop(update: Diary.update, effectHandler: handler).withEventSource(source).start(from: "m")
        loop.dispose()
        loop.dispose()
        #expect(told.values == ["handler disposed"])
        #expect(source.told.values == ["subscribed", "disposed"])
    }

    @Test func `letting go of a loop disposes of it`() {
        let told = told
        let handler = Diary.handler { _, _ in }.onDispose { told.record("handler disposed") }
        var loop: Diary.Loop? = Mobius.loop(update: Diary.update, effectHandler: handler).start(from: "m")
        loop?.addObserver { told.record($0) }
        loop = nil
        #expect(told.values == ["m", "handler disposed"])
    }

    @Test func `a loop and what it held are released`() {
        final class Held: Sendable {}
        weak var weakHeld: Held?
        weak var weakLoop: Diary.Loop?
        do {
            let held = Held()
            weakHeld = held
            let handler = AnyConnectable<String, String> { consumer in
                Connection(acceptClosure: { consumer("\($0) \(held)") }, disposeClosure: {})
            }
            let loop = Mobius.loop(update: Diary.update, effectHandler: handler)
                .withEventConsumerTransformer { consumer in { consumer("\($0) \(held)") } }.start(from: "m")
            loop.addObserver { _ in _ = held }
            weakLoop = loop
        }
        #expect(weakLoop == nil)
        #expect(weakHeld == nil)
    }

    @Test func `late senders are ignored: events, effects' answers, observers`() {
        let told = told
        let consumers = Recorder<Consumer<String>>()
        let handler = Diary.handler { _, consumer in consumers.record(consumer) }
        let loop = Mobius.loop(update: Diary.update, effectHandler: handler).start(from: "m", effects: ["x"])
        loop.dispose()
        loop.dispatchEvent("late")
        loop.unguardedDispatchEvent("late")
        for consumer in consumers.values { consumer("late answer") }
        loop.addObserver { told.record($0) }.dispose()
        #expect(loop.latestModel == "m")
        #expect(consumers.values.count == 1)
        #expect(told.values == [])
    }

    @Test func `disposed of inside an observer, nothing follows`() {
        let told = told
        let loop = Diary.loop(told).start(from: "m")
        loop.addObserver { [weak loop] model in
            told.record("1 \(model)")
            guard model != "m" else { return }
            loop?.dispatchEvent("queued")
            loop?.dispose()
        }
        loop.addObserver { told.record("2 \($0)") }
        loop.dispatchEvent("both effect")
        #expect(told.values == ["1 m", "2 m", "1 m-both effect"])
        #expect(loop.latestModel == "m-both effect")
    }

    @Test func `disposed of inside an effect, the effects queued behind it do not run`() {
        let told = told
        let loops = Recorder<Diary.Loop>()
        let handler = Diary.handler { effect, consumer in
            told.record(effect)
            consumer("queued")
            for loop in loops.values { loop.dispose() }
        }
        let loop = Mobius.loop(update: Diary.update, effectHandler: handler).start(from: "m")
        loops.record(loop)
        loop.dispatchEvent("ask a b c")
        #expect(told.values == ["a"])
        #expect(loop.latestModel == "m")
    }

    @Test func `let go of inside an observer, nothing follows`() {
        final class Holder: Sendable {
            let loop = Mutex<Diary.Loop?>(nil)

            func letGo() {
                let last = loop.withLock { $0.take() }
                _ = last
            }
        }
        let told = told
        let source = ManualEventSource()
        let holder = Holder()
        holder.loop.withLock { $0 = Diary.loop(told).withEventSource(source).start(from: "m") }
        holder.loop.withLock { loop in
            _ = loop?.addObserver { model in
                told.record(model)
                if model != "m" { holder.letGo() }
            }
        }
        source.send("both effect")
        source.send("late")
        #expect(told.values == ["m", "m-both effect"])
        #expect(source.told.values == ["subscribed", "disposed"])
    }

    @Test func `dispose waits for another thread that runs the loop, and nothing comes afterwards`() async {
        let told = told
        let (entered, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let loop = Diary.loop(told).start(from: "m")
        loop.addObserver { model in
            guard model != "m" else { return }
            told.record("begin \(model)")
            entered.signal()
            goOn.wait()
            told.record("end \(model)")
        }
        let runner = onThread { loop.dispatchEvent("both effect") }
        let disposer = onThread {
            entered.wait()
            loop.dispatchEvent("queued")
            goOnWhenDisposing(loop, goOn)
            loop.dispose()
            told.record("disposed")
        }
        await runner.value
        await disposer.value
        #expect(told.values == ["begin m-both effect", "end m-both effect", "disposed"])
    }

    @Test func `effects that another thread has still to run when it is disposed of do not run`() async {
        let told = told
        let (entered, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let handler = Diary.handler { effect, _ in
            told.record(effect)
            guard effect == "wait" else { return }
            entered.signal()
            goOn.wait()
        }
        let loop = Mobius.loop(update: Diary.update, effectHandler: handler).start(from: "m")
        let runner = onThread { loop.dispatchEvent("ask wait other") }
        let disposer = onThread {
            entered.wait()
            goOnWhenDisposing(loop, goOn)
            loop.dispose()
            told.record("disposed")
        }
        await runner.value
        await disposer.value
        #expect(told.values == ["wait", "disposed"])
    }

    @Test func `disposed of inside an observer, while another thread disposes of it, nothing follows`() async {
        let told = told
        let (entered, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let loop = Diary.loop().start(from: "m")
        loop.addObserver { [weak loop] model in
            guard model != "m" else { return }
            entered.signal()
            goOn.wait()
            loop?.dispose()
            told.record("disposed inside")
        }
        loop.addObserver { told.record("second \($0)") }
        let runner = onThread { loop.dispatchEvent("a") }
        let disposer = onThread {
            entered.wait()
            goOnWhenDisposing(loop, goOn)
            loop.dispose()
        }
        await runner.value
        await disposer.value
        #expect(told.values == ["second m", "disposed inside"])
    }

    @Test func `disposing of an observer waits for a delivery in another thread`() async {
        let told = told
        let (entered, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let loop = Diary.loop().start(from: "m")
        let observer = loop.addObserver { model in
            guard model == "m-a" else { return }
            entered.signal()
            goOn.wait()
            told.record(model)
        }
        let runner = onThread {
            loop.dispatchEvent("a")
            loop.dispatchEvent("b")
        }
        let disposer = onThread {
            entered.wait()
            Thread.detachNewThread { goOn.signal() }
            observer.dispose()
            told.record("disposed")
        }
        await runner.value
        await disposer.value
        #expect(told.values == ["m-a", "disposed"])
    }
}

/// Signals, from a thread of its own, once somebody has begun to dispose of the loop: its description tells.
private func goOnWhenDisposing(_ loop: Diary.Loop, _ goOn: DispatchSemaphore) {
    Thread.detachNewThread {
        while !loop.debugDescription.hasPrefix("disposed") { sched_yield() }
        goOn.signal()
    }
}
