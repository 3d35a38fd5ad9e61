import Dispatch
import FleetTestSupport
import MobiusCore
import Testing

// example: ticker
final class Ticker: EventSource {
    let interval: DispatchTimeInterval

    init(every interval: DispatchTimeInterval) {
        self.interval = interval
    }

    func subscribe(consumer: @escaping Consumer<GameEvent>) -> any Disposable {
        // Dispatch's timers may be cancelled from any thread, but do not say so.
        nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler { consumer(.tick) }
        timer.activate()
        return AnonymousDisposable { timer.cancel() }
    }
}
// end

struct Game: Equatable, Sendable {
    var isPaused = false
    var seconds = 0
}

enum GameEvent: Sendable {
    case tick, pause, keyPressed(Character)
}

func update(game: Game, event: GameEvent) -> Next<Game, Never> {
    var game = game
    switch event {
    case .tick: game.seconds += 1
    case .pause: game.isPaused = true
    case .keyPressed: return .noChange
    }
    return .next(game)
}

// example: connectable
struct PausingTicker: Connectable {
    let ticker: Ticker

    func connect(_ consumer: @escaping Consumer<GameEvent>) -> Connection<Game> {
        let ticks = ticker.subscribe(consumer: consumer)
        return Connection(
            acceptClosure: { game in
                if game.isPaused { ticks.dispose() }
            },
            disposeClosure: { ticks.dispose() })
    }
}
// end

@Suite("Examples: event sources")
struct SourceExamples {
    private let nothing = EffectRouter<Never, GameEvent>()

    /// Sends a key, once.
    private final class Keyboard: EventSource {
        func subscribe(consumer: @escaping Consumer<GameEvent>) -> any Disposable {
            consumer(.keyPressed("x"))
            return EmptyDisposable()
        }
    }

    @Test("a ticker ticks until the loop ends")
    func ticker() async throws {
        let seen = Journey<Game>()
        // example: start
        let loop = Mobius.loop(update: update, effectHandler: nothing)
            .withEventSource(Ticker(every: .milliseconds(1)))
            .start(from: Game())
        // end
        loop.addObserver { seen.add($0) }
        try await seen.wait { ($0.last?.seconds ?? 0) >= 3 }
        loop.dispose()
        let last = loop.latestModel
        loop.dispatchEvent(.tick)
        #expect(loop.latestModel == last)
    }

    @Test("several sources are one")
    func several() async throws {
        let keys = Keyboard()
        let events = Journey<String>()
        // example: several
        let source = CompositeEventSourceBuilder<GameEvent>()
            .addEventSource(Ticker(every: .milliseconds(1)))
            .addEventSource(keys)
            .build()
        // end
        let subscription = source.subscribe { events.add("\($0)") }
        try await events.wait { $0.contains("tick") && $0.contains("keyPressed(\"x\")") }
        subscription.dispose()
    }

    @Test("a source that is given the models")
    func models() async throws {
        let seen = Journey<Game>()
        // example: models
        let loop = Mobius.loop(update: update, effectHandler: nothing)
            .withEventSource(PausingTicker(ticker: Ticker(every: .milliseconds(1))))
            .start(from: Game())
        // end
        loop.addObserver { seen.add($0) }
        try await seen.wait { $0.contains { $0.seconds > 0 } }
        loop.dispatchEvent(.pause)
        try await seen.wait { $0.last?.isPaused == true }
        loop.dispose()
    }
}
