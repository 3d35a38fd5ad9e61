import Foundation
import MobiusCore

/// Runs `body` on a thread of its own, which may be made to wait without holding up other tests.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Task<Value?, Never> {
    let (values, continuation) = AsyncStream.makeStream(of: Value.self)
    Thread.detachNewThread {
        continuation.yield(body())
        continuation.finish()
    }
    return Task { await values.first { _ in true } }
}

/// A loop whose model is what happened to it: each event is appended, `ask x` asks for the effect `x`.
enum Diary {
    typealias Loop = MobiusLoop<String, String, String>
    typealias Builder = Mobius.Builder<String, String, String>

    @Sendable static func update(_ model: String, _ event: String) -> Next<String, String> {
        let words = event.split(separator: " ").map(String.init)
        switch words.first {
        case "ask": return .dispatchEffects(Array(words.dropFirst()))
        case "both": return .next(model + "-" + event, effects: Array(words.dropFirst()))
        case "nothing": return .noChange
        case "same": return .next(model)
        default: return .next(model + "-" + event)
        }
    }

    /// The same, changing the model where it is.
    static let updateInPlace = Update<String, String, String>(inPlace: { model, event in
        let next = update(model, event)
        if let new = next.model { model = new }
        return next.model == nil ? .dispatchEffects(next.effects) : .next(effects: next.effects)
    })

    /// A loop whose effects are recorded.
    static func loop(_ effects: Recorder<String> = Recorder()) -> Builder {
        Mobius.loop(update: update, effectHandler: handler { effect, _ in effects.record(effect) })
    }

    /// An effect handler made of a closure, which gets effects and the consumer of events.
    static func handler(
        _ handle: @escaping @Sendable (String, @escaping Consumer<String>) -> Void
    ) -> AnyConnectable<String, String> {
        AnyConnectable { consumer in
            Connection(acceptClosure: { effect in handle(effect, consumer) }, disposeClosure: {})
        }
    }
}

extension AnyConnectable where Input == String, Output == String {
    /// This handler, telling when its connection is disposed of.
    func onDispose(_ tell: @escaping @Sendable () -> Void) -> Self {
        AnyConnectable { consumer in
            let connection = connect(consumer)
            return Connection(
                acceptClosure: { connection.accept($0) },
                disposeClosure: {
                    connection.dispose()
                    tell()
                })
        }
    }
}

/// An event source that tests send events with, also after it was disposed of.
final class ManualEventSource: EventSource {
    private let consumers = Recorder<Consumer<String>>()
    let told = Recorder<String>()

    func subscribe(consumer: @escaping Consumer<String>) -> any Disposable {
        consumers.record(consumer)
        told.record("subscribed")
        return AnonymousDisposable { [told] in told.record("disposed") }
    }

    func send(_ event: String) {
        for consumer in consumers.values { consumer(event) }
    }
}
