import Dispatch
import MobiusCore
import Synchronization
import TestTraits
import Testing

/// Routes to sequences of events.
@Suite(.patient) struct EventSequenceTests {
    enum Effect: Equatable { case watch(Int), other }
    struct Failure: Error, Equatable { var number: Int }
    typealias Router = EffectRouter<Effect, String>

    private let answer = Answer<String>()
    private let told = Recorder<String>()

    private func run(_ router: Router) throws -> any Disposable {
        let handler = try #require(router.handler(for: .watch(2)))
        #expect(handler.kind == .suspending)
        return handler.run(answer.callback)
    }

    private static func numbers(_ count: Int) -> AsyncStream<Int> {
        AsyncStream { continuation in
            for number in 0..<count { continuation.yield(number) }
            continuation.finish()
        }
    }

    @Test func `a closure that returns a sequence`() async throws {
        let router = Router().routeCase(Effect.watch).toEvents { count in Self.numbers(count).map { "\($0)" } }
        _ = try run(router)
        #expect(await eventually { answer.ends == [[]] })
        #expect(answer.sent == ["0", "1"])
    }

    @Test func `a closure that awaits before it returns a sequence`() async throws {
        let router = Router().routeCase(Effect.watch).toEvents { count in
            await Task.yield()
            return Self.numbers(count).map { "\($0)" }
        }
        _ = try run(router)
        #expect(await eventually { answer.ends == [[]] })
        #expect(answer.sent == ["0", "1"])
    }

    @Test func `an error ends it with the event made of it`() async throws {
        let router = Router().routeCase(Effect.watch).toEvents { count in
            AsyncThrowingStream<String, any Error> { continuation in
                continuation.yield("first")
                continuation.finish(throwing: Failure(number: count))
            }
        } onError: { count, error in
            "\(count) \(error as? Failure == Failure(number: 2))"
        }
        _ = try run(router)
        #expect(await eventually { answer.ends == [["2 true"]] })
        #expect(answer.sent == ["first"])
    }

    @Test func `the closure itself may throw, and an error may make no event`() async throws {
        let router = Router().routeCase(Effect.watch).toEvents { count async throws -> AsyncStream<String> in
            throw Failure(number: count)
        } onError: { [told] _, error in
            told.record("\(error)")
            return nil
        }
        _ = try run(router)
        #expect(await eventually { answer.ends == [[]] })
        #expect(answer.sent == [])
        #expect(told.values == ["Failure(number: 2)"])
    }

    @Test func `disposing of it ends the iteration, and nothing more is sent`() async throws {
        let told = told
        let (stream, continuation) = AsyncStream<String>.makeStream()
        continuation.onTermination = { reason in told.record("\(reason)") }
        let running = try run(Router().routeCase(Effect.watch).toEvents { _ in stream })
        continuation.yield("in time")
        #expect(await eventually { answer.sent == ["in time"] })
        running.dispose()
        #expect(await told.wait(for: 1) == ["cancelled"])
        continuation.yield("late")
        #expect(await eventually { answer.ends == [[]] })
        #expect(answer.sent == ["in time"])
    }

    @Test func `a sequence that pays no heed to cancellation is left at its next element`() async throws {
        struct Stubborn: AsyncSequence, AsyncIteratorProtocol {
            let produce: @Sendable () async -> String
            func makeAsyncIterator() -> Stubborn { self }
            func next() async -> String? { await produce() }
            func next(isolation actor: isolated (any Actor)?) async -> String? { await produce() }
        }
        let (asked, told) = (Latch(), told)
        let may = Latch()
        let running = try run(
            Router().routeCase(Effect.watch).toEvents { _ in
                Stubborn {
                    told.record("asked")
                    asked.open()
                    await may.wait()
                    return "late"
                }
            })
        await asked.wait()
        running.dispose()
        may.open()
        #expect(await eventually { answer.ends == [[]] })
        #expect(answer.sent == [])
        #expect(told.values == ["asked"])
    }

    @Test func `a cancelled sequence makes no event of its error`() async throws {
        let (begun, told) = (Latch(), told)
        let router = Router().routeCase(Effect.watch).toEvents { _ async throws -> AsyncStream<String> in
            begun.open()
            try await Task.sleep(for: .seconds(600))
            return AsyncStream { $0.finish() }
        } onError: { _, error in
            told.record("\(error)")
            return "error"
        }
        let running = try run(router)
        await begun.wait()
        running.dispose()
        #expect(await eventually { answer.ends == [[]] })
        #expect(told.values == [])
    }
}
