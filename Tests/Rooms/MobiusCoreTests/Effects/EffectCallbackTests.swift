import MobiusCore
import Synchronization
import Testing

@Suite struct EffectCallbackTests {
    /// What a callback's owner was told, as words.
    private let told = Recorder<String>()

    private func callback() -> EffectCallback<Int> {
        EffectCallback(onSend: { [told] in told.record("\($0)") }, onEnd: { [told] in told.record("end") })
    }

    @Test func `outputs, then one end`() {
        let callback = callback()
        callback.send(1)
        callback.send(2)
        #expect(!callback.ended)
        callback.end()
        #expect(callback.ended)
        callback.end()
        callback.send(3)
        callback.end(with: 4)
        #expect(told.values == ["1", "2", "end"])
    }

    @Test func `an end may bring outputs`() {
        callback().end(with: 1, 2)
        callback().end(with: [3])
        #expect(told.values == ["1", "2", "end", "3", "end"])
    }

    @Test func `it ends when nobody holds it`() {
        _ = callback()
        #expect(told.values == ["end"])
        do {
            let ended = callback()
            ended.end(with: 1)
        }
        #expect(told.values == ["end", "1", "end"])
    }

    @Test func `a runtime gets the end and its outputs in one call`() {
        let answer = Answer<Int>()
        answer.callback.end(with: 1, 2)
        #expect(answer.sent == [])
        #expect(answer.ends == [[1, 2]])

        let other = Answer<Int>()
        let callback = other.callback
        callback.send(1)
        callback.end()
        #expect(other.sent == [1])
        #expect(other.ends == [[]])

        let dropped = Answer<Int>()
        dropped.callback.send(1)
        #expect(dropped.ends == [[]])
    }

    @Test func `it may be ended inside the consequences of a send`() {
        let told = told
        let held = Lock<EffectCallback<Int>?>(nil)
        let callback = EffectCallback<Int>(
            onSend: { output in
                let callback = held.withLock { $0 }
                told.record("begin \(output)")
                if output == 1 {
                    callback?.send(2)
                    callback?.end(with: 3)
                    callback?.send(4)
                    told.record("ended \(callback?.ended ?? false)")
                }
                told.record("done \(output)")
            },
            onEnd: { told.record("end") })
        held.withLock { $0 = callback }
        callback.send(1)
        held.withLock { $0 = nil }
        #expect(
            told.values == ["begin 1", "begin 2", "done 2", "ended true", "done 1", "begin 3", "done 3", "end"])
    }

    @Test func `threads race, and it ends once, after every output that was taken`() async {
        for _ in 0..<200 {
            let order = Recorder<Int>()
            let counters = Counters()
            let callback = EffectCallback<Int>(
                onFinish: { outputs in
                    if counters.inside.load(ordering: .acquiring) != 0 {
                        counters.early.add(1, ordering: .relaxed)
                    }
                    for output in outputs { order.record(output) }
                    counters.finishes.add(1, ordering: .relaxed)
                },
                onSend: { output in
                    counters.inside.add(1, ordering: .acquiringAndReleasing)
                    order.record(output)
                    counters.inside.subtract(1, ordering: .acquiringAndReleasing)
                })
            await withTaskGroup(of: Void.self) { group in
                for thread in 0..<6 {
                    group.addTask {
                        for number in 0..<20 { callback.send(number) }
                        if thread.isMultiple(of: 2) { callback.end(with: 1000 + thread) }
                    }
                }
            }
            #expect(counters.finishes.load(ordering: .relaxed) == 1)
            #expect(counters.early.load(ordering: .relaxed) == 0)
            #expect(order.values.filter { $0 >= 1000 }.count == 1)
            #expect((order.values.last ?? 0) >= 1000)
        }
    }
}

/// Counters that closures may share.
private final class Counters: Sendable {
    /// Sends that the owner is taking.
    let inside = Atomic(0)
    /// How often it was told of the end.
    let finishes = Atomic(0)
    /// How often that was too early: a send was still being taken.
    let early = Atomic(0)
}
