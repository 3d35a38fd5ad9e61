import Foundation
import MobiusCore

/// An event source that sends the first event at once, and lets others send through it, for longer than it should.
// Unchecked: the consumer is reached with the lock held.
final class Whistle: EventSource, @unchecked Sendable {
    private let stage: Stage
    private let lock = NSLock()
    private var kept: Consumer<StressLoop.Event>?

    init(_ stage: Stage) {
        self.stage = stage
    }

    /// The consumer of the last subscription, which its disposal does not take away.
    var consumer: Consumer<StressLoop.Event> {
        lock.lock()
        defer { lock.unlock() }
        return kept ?? { _ in Findings.add("nobody has subscribed to the event source") }
    }

    func subscribe(consumer: @escaping Consumer<StressLoop.Event>) -> any Disposable {
        keep(consumer)
        consumer(
            .sent(life: stage.presentLife, sender: Crew.senders, number: 0, asks: .now))
        return AnonymousDisposable {}
    }

    private func keep(_ consumer: @escaping Consumer<StressLoop.Event>) {
        lock.lock()
        let before = kept
        kept = consumer
        lock.unlock()
        _ = before
    }
}

/// The same as a connectable event source, which also gets each model.
struct WatchingWhistle: Connectable {
    let whistle: Whistle
    let check: ModelCheck
    let stage: Stage

    func connect(_ consumer: @escaping Consumer<StressLoop.Event>) -> Connection<StressLoop.Model> {
        let subscription = whistle.subscribe(consumer: consumer)
        return Connection(
            acceptClosure: { model in stage.alone { check.receive(model) } },
            disposeClosure: { subscription.dispose() })
    }
}
