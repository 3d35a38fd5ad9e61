import Dispatch
import FleetTestSupport
import Foundation
import MobiusCore
import Synchronization
import TestTraits
import Testing

/// What a router's connection promises about deliveries from many threads, seen from outside.
@Suite(.patient) struct DeliveryTests {
    enum Effect: Equatable { case hold(Int), say(String) }

    private let callbacks = Recorder<EffectCallback<String>>()

    private func router() -> EffectRouter<Effect, String> {
        EffectRouter()
            .routeCase(Effect.hold).to { [callbacks] _, callback in
                callbacks.record(callback)
                return EmptyDisposable()
            }
            .routeCase(Effect.say).toEvent { $0 }
    }

    @Test func `dispose waits for a delivery under way in another thread`() {
        let (inside, mayLeave, left) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Flag())
        let connection = router().connect { _ in
            inside.signal()
            #expect(mayLeave.waitPatiently())
            left.raise()
        }
        connection.accept(.hold(1))
        let callback = callbacks.values[0]
        Thread { callback.send("x") }.start()
        #expect(inside.waitPatiently())
        // Lets the delivery go on only after dispose has begun to wait, or not much before.
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { mayLeave.signal() }
        connection.dispose()
        #expect(left.isUp)
    }

    @Test func `dispose waits for every thread that delivers`() {
        let (inside, mayLeave, left) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Recorder<Int>())
        let connection = router().connect { _ in
            inside.signal()
            #expect(mayLeave.waitPatiently())
            left.record(1)
        }
        for number in 0..<4 { connection.accept(.hold(number)) }
        for callback in callbacks.values { Thread { callback.send("x") }.start() }
        for _ in 0..<4 { #expect(inside.waitPatiently()) }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) {
            for _ in 0..<4 { mayLeave.signal() }
        }
        connection.dispose()
        #expect(left.values.count == 4)
    }

    @Test func `dispose inside a delivery waits for nobody, first comer or not`() {
        for disposer in ["first", "second"] {
            let (inside, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let held = Lock<Connection<Effect>?>(nil)
            let told = Recorder<String>()
            let connection = router().connect { event in
                told.record(event)
                if event == disposer {
                    held.withLock { $0.take() }?.dispose()
                    told.record("disposed")
                } else {
                    inside.signal()
                    #expect(mayLeave.waitPatiently())
                }
            }
            held.withLock { $0 = connection }
            let place = callbacks.values.count
            connection.accept(.hold(1))
            let callback = callbacks.values[place]
            let other = disposer == "first" ? "second" : "first"
            // "first" is always the one that comes to an empty gate.
            if other == "first" {
                Thread { callback.send(other) }.start()
                #expect(inside.waitPatiently())
                callback.send(disposer)
                #expect(told.values == ["first", "second", "disposed"])
            } else {
                callback.send(disposer)
                #expect(told.values == ["first", "disposed"])
                callback.send(other)
                #expect(told.values == ["first", "disposed"])
            }
            mayLeave.signal()
        }
    }

    @Test func `deliveries inside deliveries`() {
        let held = Lock<Connection<Effect>?>(nil)
        let told = Recorder<String>()
        let connection = router().connect { event in
            told.record("begin \(event)")
            if event.count < 3 { held.withLock { $0 }?.accept(.say(event + "x")) }
            told.record("end \(event)")
        }
        held.withLock { $0 = connection }
        connection.accept(.say("x"))
        #expect(
            told.values == ["begin x", "begin xx", "begin xxx", "end xxx", "end xx", "end x"])
        connection.accept(.say("again"))
        #expect(told.values.suffix(2) == ["begin again", "end again"])
        held.withLock { $0 = nil }
        connection.dispose()
    }

    @Test func `the consumer is let go of once the last delivery has left`() {
        weak var weakConsumer: Recorder<String>?
        let kept: EffectCallback<String>
        do {
            let consumer = Recorder<String>()
            weakConsumer = consumer
            let held = Lock<Connection<Effect>?>(nil)
            let connection = router().connect { event in
                held.withLock { $0.take() }?.dispose()
                consumer.record(event)
            }
            held.withLock { $0 = connection }
            connection.accept(.hold(1))
            kept = callbacks.values[0]
            kept.send("x")
            #expect(consumer.values == ["x"])
        }
        #expect(weakConsumer == nil)
        kept.send("late")
    }

    @Test func `threads deliver, nest and dispose in any order`() async {
        for round in 0..<300 {
            let disposed = Flag()
            let late = Flag()
            let held = Lock<Connection<Effect>?>(nil)
            let place = callbacks.values.count
            let connection = router().connect { event in
                if disposed.isUp { late.raise() }
                if event == "nest" { held.withLock { $0 }?.accept(.say("nested")) }
                if event == "dispose" { held.withLock { $0 }?.dispose() }
            }
            held.withLock { $0 = connection }
            for number in 0..<3 { connection.accept(.hold(number)) }
            let mine = Array(callbacks.values[place...])
            await withTaskGroup(of: Void.self) { group in
                for (index, callback) in mine.enumerated() {
                    group.addTask {
                        for number in 0..<30 { callback.send(number.isMultiple(of: 3) ? "nest" : "x") }
                        if index == 0, round.isMultiple(of: 3) { callback.send("dispose") }
                    }
                }
                group.addTask {
                    connection.dispose()
                    disposed.raise()
                }
            }
            // A dispose inside a delivery does not wait, so another thread's may return before the last one leaves…
            if !round.isMultiple(of: 3) { #expect(!late.isUp) }
            held.withLock { $0 = nil }
        }
    }
}

private final class Flag: Sendable {
    private let up = Atomic(false)
    var isUp: Bool { up.load(ordering: .acquiring) }
    func raise() { up.store(true, ordering: .releasing) }
}
