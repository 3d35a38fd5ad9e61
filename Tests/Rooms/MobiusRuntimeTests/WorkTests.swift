import FleetTestSupport
import Foundation
import MobiusCore
import MobiusRuntime
import MobiusWire
import TestTraits
import Testing

/// Handlers that may fail.
@Suite("Work that may fail", .patient)
struct WorkTests {
    typealias Effect = RunnerStage.Effect
    typealias Router = RunnerStage.Router

    private struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    private func answers(_ router: Router, until count: Int = 1) async throws -> RunnerStage {
        let stage = RunnerStage(router)
        try stage.run(.work("a"))
        try await stage.answers.wait { $0.count == count }
        return stage
    }

    private func failure(
        _ work: @escaping @Sendable (String, EffectContext) async throws -> String?
    ) async throws -> HandlerFailure {
        let stage = try await answers(Router().routeCase(Effect.work).toWork(work))
        return try #require(stage.failures.elements.first)
    }

    @Test func `answers with an event`() async throws {
        let router = Router().routeCase(Effect.work).toWork { word, context in
            "\(word) \(context.idempotencyKey) \(context === EffectContext.current)"
        }
        #expect(try await answers(router).answers.elements == ["1: a main/1/0 true, end"])
    }

    @Test func `answers with an event or with none`() async throws {
        let router = Router().routeCase(Effect.work).toWork { word, _ in
            if word == "b" { return "b" }
            return nil
        }
        #expect(try await answers(router).answers.elements == ["1: end"])
    }

    @Test func `answers with several events`() async throws {
        let router = Router().routeCase(Effect.work).toWork { word, _, send in
            for number in 1...3 {
                send("\(word)\(number)")
                await Task.yield()
            }
        }
        #expect(
            try await answers(router, until: 4).answers.elements == ["1: a1", "1: a2", "1: a3", "1: end"])
    }

    @Test func `exhaustive routers have it, too`() async throws {
        let router = Router { effect in
            switch effect {
            case .work(let word): .toWork { context, send in send(word + context.idempotencyKey) }
            case .stop(let word): .toWork { _ in word }
            }
        }
        let stage = RunnerStage(router)
        try stage.run(.work("a"), .stop("b"))
        try await stage.answers.wait { $0.count == 3 }
        #expect(Set(stage.answers.elements) == ["1: amain/1/0", "1: end", "2: b, end"])
        let failing = Router { _ in .toWork { _ in throw EffectFailed("no") } }
        #expect(try await answers(failing).answers.elements == ["1: failed: no"])
    }

    @Test func `queues and policies hold for it`() async throws {
        let running = Journey<Int>()
        let router = Router().routeCase(Effect.work).on(queue: DispatchQueue(label: "q")).executing(.sequentially)
            .toWork { word, _ in
                running.add(1)
                await Task.yield()
                running.add(-1)
                return word
            }
        let stage = RunnerStage(router)
        try stage.run(.work("a"), .work("b"), .work("c"))
        try await stage.answers.wait { $0.count == 3 }
        #expect(running.elements == [1, -1, 1, -1, 1, -1])
    }

    @Test func `says why it failed, and whether and when another attempt may do better`() async throws {
        var failure = try await failure { _, _ in throw EffectFailed("the shop is closed") }
        #expect(failure.reason == "the shop is closed")
        #expect(failure.retryable)
        #expect(failure.delay == 0)
        failure = try await self.failure { _, _ in
            throw EffectFailed("no such order", retryable: false, after: .seconds(1.5))
        }
        #expect(!failure.retryable)
        #expect(failure.delay == 1500)
        failure = try await self.failure { _, _ in throw EffectFailed("again, at once", after: .zero) }
        #expect(failure.delay == 1)
        failure = try await self.failure { _, _ in throw EffectFailed("some day", after: .seconds(1e15)) }
        #expect(failure.delay == .max)
    }

    @Test func `any other error may pass, and is described by its type and words`() async throws {
        let failure = try await failure { _, _ in throw Broken(description: "it broke") }
        #expect(failure.retryable)
        #expect(failure.reason.hasSuffix("Broken: it broke"))
        let long = try await self.failure { _, _ in throw Broken(description: String(repeating: "x", count: 5000)) }
        #expect(long.reason.count == 1024)
    }

    @Test func `errors of coding name the place and no value`() async throws {
        struct Order: Codable {
            var card: Int
            var price = Double.nan
        }
        var failure = try await failure { _, _ in
            _ = try JSONDecoder().decode([Order].self, from: Data(#"[{"card": "4111 1111"}]"#.utf8))
            return nil
        }
        #expect(failure.reason == "Swift.DecodingError at 0.card")
        failure = try await self.failure { _, _ in
            _ = try JSONEncoder().encode([Order(card: 4111_1111)])
            return nil
        }
        #expect(failure.reason == "Swift.EncodingError at 0.price")
    }

    @Test func `events before a failure count`() async throws {
        let router = Router().routeCase(Effect.work).toWork { word, _, send in
            send(word)
            throw EffectFailed("then no more")
        }
        #expect(try await answers(router, until: 2).answers.elements == ["1: a", "1: failed: then no more"])
    }

    @Test func `a cancelled one may say so and has ended`() async throws {
        let begun = Journey<String>()
        let router = Router().routeCase(Effect.work).toWork { word, _ in
            begun.add(word)
            try await Task.sleep(for: .seconds(600))
            return "nobody came"
        }
        let stage = RunnerStage(router)
        try stage.run(.work("a"))
        try await begun.wait { $0.count == 1 }
        stage.cancel(1)
        try await stage.answers.wait { $0.count == 1 }
        #expect(stage.answers.elements == ["1: end"])
    }

    @Test func `a cancelled one may still answer or fail`() async throws {
        let begun = Journey<String>()
        let router = Router().routeCase(Effect.work).toWork { word, context in
            begun.add(word)
            do {
                try await Task.sleep(for: .seconds(600))
            } catch {
                guard word == "a" else { throw EffectFailed("interrupted") }
            }
            return "cancelled: \(context.isCancelled)"
        }
        let stage = RunnerStage(router)
        try stage.run(.work("a"), .work("b"))
        try await begun.wait { $0.count == 2 }
        stage.cancel(1)
        stage.cancel(2)
        try await stage.answers.wait { $0.count == 2 }
        #expect(Set(stage.answers.elements) == ["1: cancelled: true, end", "2: failed: interrupted"])
    }

    @Test func `who was not cancelled cannot say so`() async throws {
        let failure = try await failure { _, _ in throw CancellationError() }
        #expect(failure.retryable)
        #expect(failure.reason.contains("CancellationError"))
    }
}

/// The same handlers in a loop that nobody else serves.
@Suite("Work in a plain loop", .patient)
struct PlainWorkTests {
    typealias Effect = RunnerStage.Effect
    typealias Router = RunnerStage.Router

    @Test func `answers, with a name of its own for each effect`() async throws {
        let events = Journey<String>()
        let router = Router().routeCase(Effect.work).toWork { word, context in
            "\(word) \(context.idempotencyKey) \(context === EffectContext.current) \(context.deadline == nil)"
        }
        let connection = router.asConnectable.connect { events.add($0) }
        connection.accept(.work("a"))
        connection.accept(.work("b"))
        try await events.wait { $0.count == 2 }
        let words = events.elements.sorted().map { $0.split(separator: " ").map(String.init) }
        #expect(words.map { $0[0] } == ["a", "b"])
        #expect(words[0][1] != words[1][1])
        #expect(words.allSatisfy { $0[1].hasPrefix("plain-") && $0[2] == "true" && $0[3] == "true" })
        connection.dispose()
    }

    @Test func `is cancelled with the loop`() async throws {
        let steps = Journey<String>()
        let router = Router().routeCase(Effect.work).toWork { word, context in
            steps.add("begun")
            do {
                try await Task.sleep(for: .seconds(600))
            } catch {
                steps.add("cancelled: \(context.isCancelled)")
                throw error
            }
            return "nobody came"
        }
        let connection = router.asConnectable.connect { steps.add($0) }
        connection.accept(.work("a"))
        try await steps.wait { $0.count == 1 }
        connection.dispose()
        try await steps.wait { $0 == ["begun", "cancelled: true"] }
    }

    @Test func `stops the program when it fails`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let router = Router().routeCase(Effect.work).toWork { _, _ in throw EffectFailed("the shop is closed") }
            let connection = router.asConnectable.connect { _ in }
            connection.accept(.work("a"))
            try await Task.sleep(for: .seconds(600))
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("WorkTests.swift"))
        #expect(message.contains("An effect's work failed in a loop without a runtime"))
        #expect(message.contains("the shop is closed"))
    }
}
