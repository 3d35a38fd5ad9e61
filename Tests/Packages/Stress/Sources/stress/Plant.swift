import Dispatch
import Foundation
import MobiusCore

/// A defect planted on purpose, to show that it would be found.
enum Plant: String, CaseIterable, Sendable {
    case nothing, race, useAfterFree = "use-after-free", leak, hang, lostEvent = "lost-event", late

    /// Drops an event now and then.
    var transformer: ConsumerTransformer<StressLoop.Event>? {
        guard self == .lostEvent else { return nil }
        return { consumer in
            { event in
                if case .sent(_, _, 2, _) = event { return }
                consumer(event)
            }
        }
    }

    /// Does what needs no lives; `false` if it needs them.
    func show() -> Bool {
        switch self {
        case .race: race()
        case .useAfterFree: useAfterFree()
        case .leak: leak()
        case .hang: hang()
        case .nothing, .lostEvent, .late: return false
        }
        return true
    }

    private final class Box: @unchecked Sendable {
        var value = 0
        var other: Box?
    }

    private static func loop(_ observer: @escaping Consumer<Int>) -> MobiusLoop<Int, Int, Never> {
        let loop = Mobius.loop(
            update: { (model: Int, event: Int) -> Next<Int, Never> in .next(model + event) },
            effectHandler: AnyConnectable<Never, Int> { _ in Connection(acceptClosure: { _ in }, disposeClosure: {}) }
        ).start(from: 0)
        loop.addObserver(observer)
        return loop
    }

    /// Two loops in two threads write to one box: at the same time, and for so long that neither is over before the other has
    /// had its turn on a busy machine.
    private func race() {
        let box = Box()
        let (ready, go, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for _ in 0..<2 {
            Thread.detachNewThread {
                let loop = Self.loop { model in box.value += model }
                ready.signal()
                go.wait()
                let end = ContinuousClock.now + .milliseconds(500)
                while ContinuousClock.now < end { loop.dispatchEvent(1) }
                done.signal()
            }
        }
        for _ in 0..<2 { ready.wait() }
        for _ in 0..<2 { go.signal() }
        for _ in 0..<2 { done.wait() }
    }

    private func useAfterFree() {
        nonisolated(unsafe) let memory = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        memory.initialize(to: 0)
        let loop = Self.loop { model in memory.pointee += model }
        memory.deallocate()
        loop.dispatchEvent(1)
    }

    private func leak() {
        let box = Box()
        box.other = box
        Self.loop { model in box.value += model }.dispose()
    }

    private func hang() {
        let walker = Watchdog.Walker("planted")
        walker.now(.waitingForSettlement)
        let watchdog = Watchdog([walker], patience: 1) { "on purpose" }
        DispatchSemaphore(value: 0).wait()
        watchdog.end()
    }
}
