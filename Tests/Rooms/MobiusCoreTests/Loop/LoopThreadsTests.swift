import Dispatch
import Foundation
import MobiusCore
import Testing

/// A loop that several threads use.
@Suite struct LoopThreadsTests {
    private let told = Recorder<String>()
    private let entered = DispatchSemaphore(value: 0)
    private let goOn = DispatchSemaphore(value: 0)

    /// A loop in whose effect `wait` another thread stays until the test lets it go on.
    private func busyLoop() -> Diary.Loop {
        let (told, entered, goOn) = (told, entered, goOn)
        let handler = Diary.handler { effect, _ in
            told.record("begin \(effect)")
            if effect == "wait" {
                entered.signal()
                goOn.wait()
            }
            told.record("end \(effect)")
        }
        return Mobius.loop(update: Diary.update, effectHandler: handler).start(from: "m")
    }

    @Test func `a thread that comes while another runs the loop leaves its event there`() async {
        let loop = busyLoop()
        let runner = onThread { loop.dispatchEvent("ask wait") }
        await onThread { [entered] in entered.wait() }.value
        loop.dispatchEvent("ask other")  // returns although the loop is busy
        #expect(told.values == ["begin wait"])
        goOn.signal()
        await runner.value
        #expect(told.values == ["begin wait", "end wait", "begin other", "end other"])
    }

    @Test func `an observer that comes while another thread runs the loop is served between two events`() async {
        let told = told
        let loop = busyLoop()
        let runner = onThread { loop.dispatchEvent("both wait") }
        await onThread { [entered] in entered.wait() }.value
        loop.addObserver { told.record("observer \($0)") }
        loop.dispatchEvent("a")
        goOn.signal()
        await runner.value
        #expect(told.values == ["begin wait", "end wait", "observer m-both wait", "observer m-both wait-a"])
    }

    @Test func `an observer disposed of before it was served gets nothing`() async {
        let told = told
        let loop = busyLoop()
        let runner = onThread { loop.dispatchEvent("ask wait") }
        await onThread { [entered] in entered.wait() }.value
        loop.addObserver { told.record("observer \($0)") }.dispose()
        goOn.signal()
        await runner.value
        #expect(told.values == ["begin wait", "end wait"])
    }

    @Test func `latestModel does not wait for effects`() async {
        let loop = busyLoop()
        let runner = onThread { loop.dispatchEvent("both wait") }
        await onThread { [entered] in entered.wait() }.value
        #expect(loop.latestModel == "m-both wait")
        goOn.signal()
        await runner.value
    }

    @Test func `latestModel waits for an update that changes the model in place`() async {
        let (entered, goOn) = (entered, goOn)
        let update = Update<[Int], Int, Never>(inPlace: { model, event in
            model.append(event)
            entered.signal()
            goOn.wait()
            model.append(event)
            return .next()
        })
        let loop = Mobius.loop(update: update, effectHandler: EffectRouter<Never, Int>()).start(from: [])
        let runner = onThread { loop.dispatchEvent(1) }
        let reader = onThread {
            entered.wait()
            Thread.detachNewThread { goOn.signal() }
            return loop.latestModel
        }
        #expect(await reader.value == [1, 1])
        await runner.value
    }

    @Test func `no event is lost or entered twice, whoever sends`() async {
        let update = Update<[Int: Int], (sender: Int, number: Int), Never>(inPlace: { model, event in
            // In order for each sender, or not counted.
            if model[event.sender, default: 0] == event.number { model[event.sender] = event.number + 1 }
            return .next()
        })
        let loop = Mobius.loop(update: update, effectHandler: EffectRouter<Never, (sender: Int, number: Int)>())
            .start(from: [:])
        let (senders, events) = (8, 5000)
        await withTaskGroup { group in
            for sender in 0..<senders {
                group.addTask {
                    for number in 0..<events { loop.dispatchEvent((sender, number)) }
                }
            }
        }
        // A thread that left its last event to another has to wait for that one.
        #expect(await eventually { loop.latestModel.values.allSatisfy { $0 == events } })
        #expect(loop.latestModel.count == senders)
    }
}
