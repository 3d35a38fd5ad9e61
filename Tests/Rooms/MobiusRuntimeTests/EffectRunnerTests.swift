import FleetTestSupport
import Foundation
import MobiusCore
import MobiusProgram
import MobiusRuntime
import MobiusWire
import TestTraits
import Testing

@Suite("An effect runner", .patient)
struct EffectRunnerTests {
    enum Effect: Codable, Sendable {
        case answer(Int)
        case wait
        case stay
        case unrouted
    }

    typealias Event = String

    private let outcomes = Journey<HandlerOutcome>()

    private func runner(_ router: EffectRouter<Effect, Event>, limit: Int = 1) -> EffectRunner {
        EffectRunner(router, threads: HandlerThreads(name: "test", limit: limit)) { [outcomes] in outcomes.add($0) }
    }

    private func attempt(_ number: UInt64) -> AttemptID {
        AttemptID(
            effect: EffectID(loop: .main, sequence: number, index: 0), attempt: Attempt(epoch: 1, number: 1))
    }

    private func payload(_ effect: Effect) throws -> Payload { try TypedCodec<Effect>.json().encode(effect) }

    @Test("reports one final event for a handler that answers with one")
    func final() async throws {
        let runner = runner(EffectRouter().routeCase(Effect.answer).toEvent { "\($0)" })
        runner.run([(attempt(1), try payload(.answer(7)))])
        try await outcomes.wait { !$0.isEmpty }
        guard case .report(attempt(1), let event?, true) = outcomes.elements[0] else {
            Issue.record("\(outcomes.elements)")
            return
        }
        #expect(try TypedCodec<Event>.json().decode(event) == "7")
        #expect(outcomes.elements.count == 1)
    }

    @Test("does not begin what was cancelled while it waited")
    func cancelledBeforeItsTurn() async throws {
        let gate = DispatchSemaphore(value: 0)
        let router = EffectRouter<Effect, Event>()
            .routeCase(Effect.wait).to { gate.wait() }
            .routeCase(Effect.answer).toEvent { "\($0)" }
        let runner = runner(router)
        runner.run([
            (attempt(1), try payload(.wait)), (attempt(2), try payload(.answer(2))),
            (attempt(3), try payload(.answer(3))),
        ])
        runner.cancel(attempt(2))
        gate.signal()
        try await outcomes.wait { $0.count == 3 }
        let ends = outcomes.elements.compactMap { outcome -> (AttemptID, Bool)? in
            if case .report(let id, let event, true) = outcome { (id, event != nil) } else { nil }
        }
        // The cancelled one has ended at once, without its event.
        #expect(ends.map(\.0) == [attempt(2), attempt(1), attempt(3)])
        #expect(ends.map(\.1) == [false, false, true])
    }

    @Test("disposes of what was cancelled while it ran, which ends it")
    func cancelledWhileItRan() async throws {
        let steps = Journey<String>()
        let callbacks = Journey<EffectCallback<Event>>()
        let router = EffectRouter<Effect, Event>().routeCase(Effect.stay).to { (_: Void, callback) -> any Disposable in
            callbacks.add(callback)
            return AnonymousDisposable {
                callback.send("last words")
                steps.add("disposed")
            }
        }
        let runner = runner(router)
        runner.run([(attempt(1), try payload(.stay))])
        try await callbacks.wait { $0.count == 1 }
        callbacks.elements[0].send("before")
        try await outcomes.wait { $0.count == 1 }
        runner.cancel(attempt(1))
        try await outcomes.wait { $0.count == 3 }
        #expect(steps.elements == ["disposed"])
        callbacks.elements[0].send("after")
        callbacks.elements[0].end()
        let events = try outcomes.elements.map { outcome -> String? in
            guard case .report(attempt(1), let event, let final) = outcome, final == (event == nil) else { return "?" }
            return try event.map { try TypedCodec<Event>.json().decode($0) }
        }
        #expect(events == ["before", "last words", nil])
    }

    @Test("fails with a sentence what has no route, and what cannot be read")
    func failures() async throws {
        let runner = runner(EffectRouter().routeCase(Effect.answer).toEvent { "\($0)" })
        runner.run([
            (attempt(1), try payload(.unrouted)),
            (attempt(2), Payload(kind: try payload(.wait).kind, bytes: Array("{\"wait\":\"secret\"}".utf8))),
            (attempt(3), Payload(kind: PayloadKind(type: "Other"), bytes: [])),
        ])
        try await outcomes.wait { $0.count == 3 }
        let reasons = outcomes.elements.map { outcome -> String in
            if case .failed(_, let failure) = outcome { failure.reason } else { "\(outcome)" }
        }
        #expect(reasons[0].contains("No route takes the effect Effect.unrouted"))
        #expect(reasons[1].contains("cannot be decoded"))
        #expect(!reasons[1].contains("secret"))
        #expect(reasons[2].contains("it is Other"))
    }
}
