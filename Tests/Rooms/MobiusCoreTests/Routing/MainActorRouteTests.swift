import Dispatch
import Foundation
import MobiusCore
import TestTraits
import Testing

/// Routes whose closures run on the main actor.
@Suite(.patient) struct MainActorRouteTests {
    enum Effect: Equatable { case show(String), ask(String), watch(Int), work }
    typealias Router = EffectRouter<Effect, String>

    /// What belongs to the main actor; the closures use it without `await`.
    @MainActor final class Screen {
        var lines: [String] = []

        nonisolated init() {}

        func show(_ line: String) -> Int {
            MainActor.assertIsolated()
            lines.append(line)
            return lines.count
        }
    }

    private let events = Recorder<String>()

    @Test func `sync closures, in the order of their effects`() async {
        let screen = Screen()
        let router = Router()
            .routeCase(Effect.show).onMainActor().to { line in _ = screen.show(line) }
            .routeCase(Effect.ask).onMainActor().toEvent { line in "\(screen.show(line)) \(line)" }
        let connection = router.connect { [events] in events.record($0) }
        for number in 0..<50 {
            connection.accept(.show("\(number)"))
            connection.accept(.ask("\(number)"))
        }
        #expect(await events.wait(for: 50) == (0..<50).map { "\($0 * 2 + 2) \($0)" })
        #expect(await screen.lines == (0..<50).flatMap { ["\($0)", "\($0)"] })
        connection.dispose()
    }

    @Test func `async closures, sequences and callbacks`() async {
        let screen = Screen()
        let router = Router()
            .routeCase(Effect.show).onMainActor().to { line async in
                await Task.yield()
                _ = screen.show(line)
            }
            .routeCase(Effect.ask).onMainActor().toEvent { line async in
                await Task.yield()
                return "\(screen.show(line))"
            }
            .routeCase(Effect.watch).onMainActor().toEvents { count in
                _ = screen.show("watch")
                return AsyncStream { continuation in
                    for number in 0..<count { continuation.yield("tick \(number)") }
                    continuation.finish()
                }
            }
            .routeCase(.work).onMainActor().to { _, callback in
                callback.end(with: "work \(screen.show("work"))")
                return EmptyDisposable()
            }
        let connection = router.connect { [events] in events.record($0) }
        connection.accept(.show("a"))
        #expect(await eventually { await screen.lines == ["a"] })
        connection.accept(.ask("b"))
        #expect(await events.wait(for: 1) == ["2"])
        connection.accept(.watch(2))
        #expect(await events.wait(for: 3) == ["2", "tick 0", "tick 1"])
        connection.accept(.work)
        #expect(await events.wait(for: 4).last == "work 4")
        connection.dispose()
    }

    @Test func `a sequence that throws`() async {
        struct Failure: Error {}
        let screen = Screen()
        let router = Router().routeCase(Effect.watch).onMainActor().toEvents { count async throws in
            guard count > 0 else { throw Failure() }
            return AsyncStream<String> { $0.finish() }
        } onError: { _, error in
            "\(screen.show("error")) \(error is Failure)"
        }
        let connection = router.connect { [events] in events.record($0) }
        connection.accept(.watch(0))
        #expect(await events.wait(for: 1) == ["1 true"])
        connection.dispose()
    }

    @Test func `policies and cancellation hold there, too`() async {
        let screen = Screen()
        let router = Router().routeCase(Effect.ask).onMainActor().executing(.sequentially).toEvent { line async in
            let count = screen.show("begin \(line)")
            await Task.yield()
            return "\(count) \(screen.show("end \(line)"))"
        }
        let connection = router.connect { [events] in events.record($0) }
        for line in ["a", "b", "c"] { connection.accept(.ask(line)) }
        #expect(await events.wait(for: 3) == ["1 2", "3 4", "5 6"])
        connection.dispose()
    }

    @Test func `what is disposed of before its turn does not run`() async {
        let screen = Screen()
        let router = Router()
            .routeCase(Effect.show).onMainActor().to { line in _ = screen.show(line) }
            .routeCase(Effect.ask).onMainActor().toEvent { line async in "\(screen.show(line))" }
        await MainActor.run {
            let connection = router.connect { [events] in events.record($0) }
            connection.accept(.show("a"))
            connection.accept(.ask("b"))
            connection.dispose()
        }
        // Comes after both, in their queue.
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        #expect(await screen.lines == [])
        #expect(events.values == [])
    }

    @Test func `actions of exhaustive routers may belong to the main actor`() async {
        let screen = Screen()
        let router = Router { effect in
            switch effect {
            case .show(let line): .onMainActor().to { _ = screen.show(line) }
            case .ask(let line): .onMainActor().toEvent { "\(screen.show(line))" }
            case .watch, .work: .nothing
            }
        }
        let connection = router.connect { [events] in events.record($0) }
        connection.accept(.ask("a"))
        #expect(await events.wait(for: 1) == ["1"])
        connection.accept(.show("b"))
        #expect(await eventually { await screen.lines == ["a", "b"] })
        connection.dispose()
    }
}
