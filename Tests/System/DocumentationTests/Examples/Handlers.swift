import Dispatch
import FleetTestSupport
import Foundation
import MobiusCore
import Testing

enum PlayerEffect: Equatable, Sendable {
    case beep
    case read(file: String)
    case load(track: String)
    case watchVolume
    case record
}

enum PlayerEvent: Equatable, Sendable {
    case read(String)
    case loaded(String)
    case loadingFailed(String)
    case volume(Int)
    case recorded(seconds: Int)
    case recordingEnded
}

enum TrackError: Error { case notFound }

func download(_ track: String) async throws -> String {
    guard track != "missing" else { throw TrackError.notFound }
    return "\(track).ogg"
}

func volumes() -> AsyncStream<Int> {
    AsyncStream { continuation in
        for volume in [3, 4, 5] { continuation.yield(volume) }
        continuation.finish()
    }
}

/// Ticks until it is stopped.
final class Recorder: Sendable {
    let stopped = Journey<Bool>()

    func start(_ onSecond: @escaping @Sendable (Int) -> Void) {
        for second in 1...3 { onSecond(second) }
    }

    func stop() {
        stopped.add(true)
    }
}

// example: handler-type
struct TrackLoader: EffectHandler {
    let folder: String

    func handle(_ track: String, _ callback: EffectCallback<PlayerEvent>) -> any Disposable {
        callback.send(.loaded("\(folder)/\(track)"))
        callback.end()
        return EmptyDisposable()
    }
}
// end

// example: connectable
struct Beeper: Connectable {
    func connect(_ consumer: @escaping Consumer<PlayerEvent>) -> Connection<PlayerEffect> {
        // once for each loop: open the device here …
        Connection(
            acceptClosure: { effect in
                if effect == .beep { consumer(.volume(11)) }
            },
            disposeClosure: {})  // … and close it here
    }
}
// end

@Suite("Examples: effect handlers")
struct HandlerExamples {
    /// Runs one effect, and returns the events up to the last one expected.
    private func events(
        of effect: PlayerEffect, _ router: EffectRouter<PlayerEffect, PlayerEvent>, count: Int
    ) async throws -> [PlayerEvent] {
        let journey = Journey<PlayerEvent>()
        let connection = router.connect { journey.add($0) }
        connection.accept(effect)
        try await journey.wait { $0.count >= count }
        connection.dispose()
        return journey.elements
    }

    @Test("closures that answer at once")
    func closures() async throws {
        let beeps = Journey<Bool>()
        let beep: @Sendable () -> Void = { beeps.add(true) }
        let contents: @Sendable (String) -> String? = { $0 == "notes" ? "do re mi" : nil }
        // example: closures
        let router = EffectRouter<PlayerEffect, PlayerEvent>()
            .routeCase(PlayerEffect.beep).to {  // no event
                beep()
            }
            .routeCase(PlayerEffect.read).toEvent { file in  // one event, or none
                contents(file).map { .read($0) }
            }
        // end
        let connection = router.connect { _ in Issue.record("no event is expected") }
        connection.accept(.beep)
        connection.accept(.read(file: "other"))
        #expect(beeps.elements == [true])
        #expect(try await events(of: .read(file: "notes"), router, count: 1) == [.read("do re mi")])
    }

    @Test("callbacks")
    func callbacks() async throws {
        let recorder = Recorder()
        // example: callback
        let router = EffectRouter<PlayerEffect, PlayerEvent>()
            .routeCase(PlayerEffect.record).to { _, callback in
                recorder.start { seconds in
                    callback.send(.recorded(seconds: seconds))
                    if seconds == 3 { callback.end(with: .recordingEnded) }
                }
                return AnonymousDisposable { recorder.stop() }
            }
        // end
        let all = try await events(of: .record, router, count: 4)
        #expect(all == [1, 2, 3].map { .recorded(seconds: $0) } + [.recordingEnded])
    }

    @Test("async closures; errors are events")
    func async() async throws {
        // example: async
        let router = EffectRouter<PlayerEffect, PlayerEvent>()
            .routeCase(PlayerEffect.load).toEvent { track in
                do {
                    return .loaded(try await download(track))
                } catch {
                    return .loadingFailed("\(error)")
                }
            }
        // end
        #expect(try await events(of: .load(track: "a"), router, count: 1) == [.loaded("a.ogg")])
        #expect(try await events(of: .load(track: "missing"), router, count: 1) == [.loadingFailed("notFound")])
    }

    @Test("sequences")
    func sequences() async throws {
        // example: sequence
        let router = EffectRouter<PlayerEffect, PlayerEvent>()
            .routeCase(PlayerEffect.watchVolume).toEvents {
                volumes().map { .volume($0) }
            }
        // end
        #expect(try await events(of: .watchVolume, router, count: 3) == [.volume(3), .volume(4), .volume(5)])
    }

    @Test("handlers that are types, and connectables")
    func types() async throws {
        // example: types
        let router = EffectRouter<PlayerEffect, PlayerEvent>()
            .routeCase(PlayerEffect.load).to(TrackLoader(folder: "music"))
            .routeEffects(equalTo: .beep).to(Beeper())
        // end
        #expect(try await events(of: .load(track: "a"), router, count: 1) == [.loaded("music/a")])
        #expect(try await events(of: .beep, router, count: 1) == [.volume(11)])
    }

    @Test("work that blocks has a queue of its own")
    func blocking() async throws {
        let readSlowly: @Sendable (String) -> String = { "contents of \($0)" }
        // example: queue
        let files = DispatchQueue(label: "files")
        let router = EffectRouter<PlayerEffect, PlayerEvent>()
            .routeCase(PlayerEffect.read).on(queue: files).toEvent { file in
                .read(readSlowly(file))
            }
        // end
        #expect(try await events(of: .read(file: "notes"), router, count: 1) == [.read("contents of notes")])
    }

    @Test("dispose cancels")
    func cancellation() async throws {
        let happened = Journey<String>()
        // example: cancellation
        let router = EffectRouter<PlayerEffect, PlayerEvent>()
            .routeCase(PlayerEffect.load).toEvent { track in
                happened.add("begun")
                do {
                    try await Task.sleep(for: .seconds(3600))
                    return .loaded(track)
                } catch {
                    happened.add("cancelled")
                    return nil  // nobody would get it
                }
            }
        // end
        let loop = Mobius.loop(
            update: { (_: Int, _: PlayerEvent) in .noChange }, effectHandler: router
        ).start(from: 0, effects: [.load(track: "a")])
        try await happened.wait { $0 == ["begun"] }
        loop.dispose()
        try await happened.wait { $0 == ["begun", "cancelled"] }
    }
}
