import Dispatch
import FleetTestSupport
import Foundation
import MobiusCore
import MobiusEngine
import MobiusProgram
import MobiusRuntime
import MobiusWire
import Synchronization
import TestTraits
import Testing

/// Handlers that send more than may be unacknowledged: they wait, and none waits for ever.
@Suite(.patient)
struct SendWindowTests {
    enum Effect: Codable, Sendable {
        case block(Int)
        /// Ignores that it is cancelled, and sends one more when the gate opens.
        case stubborn(Int)
        case stream(Int)
        case work(Int)
    }

    typealias Router = EffectRouter<Effect, Int>

    /// Counts what a handler's next event is, and how many it has tried to send.
    private final class Tally: Sendable {
        let tried = Atomic(0)
        let isStopped = Atomic(false)
        func next() { tried.add(1, ordering: .sequentiallyConsistent) }
        var count: Int { tried.load(ordering: .sequentiallyConsistent) }
    }

    /// How many outcomes there may be so far, and whether there were ever more.
    private final class Bound: Sendable {
        let allowed = Atomic(0)
        let isExceeded = Atomic(false)
    }

    private let outcomes = Journey<HandlerOutcome>()
    private let bound = Bound()
    private let tally = Tally()
    private let gate = AsyncStream.makeStream(of: Void.self)
    private let id = AttemptID(
        effect: EffectID(loop: .main, sequence: 1, index: 0), attempt: Attempt(epoch: 1, number: 1))

    private func runner(events: Int = 10, bytes: Int = 1 << 20, runsInline: Bool = false) -> EffectRunner {
        let tally = tally
        let router = Router()
            .routeCase(Effect.block).to { (count: Int, callback: EffectCallback<Int>) -> any Disposable in
                DispatchQueue.global().async {
                    for number in 1...count where !tally.isStopped.load(ordering: .relaxed) {
                        tally.next()
                        callback.send(number)
                    }
                    callback.end()
                }
                return AnonymousDisposable { tally.isStopped.store(true, ordering: .relaxed) }
            }
            .routeCase(Effect.stubborn).toWork { [gate] (count: Int, context, send) in
                for number in 1...count { send(number) }
                tally.next()
                await Task.detached { for await _ in gate.stream { break } }.value
                send(count + 1)
            }
            .routeCase(Effect.stream).toEvents { (count: Int) in
                AsyncStream { continuation in
                    for number in 1...count { continuation.yield(number) }
                    continuation.finish()
                }
            }
            .routeCase(Effect.work).toWork { (count: Int, context, send) in
                for number in 1...count {
                    await context.room()
                    try context.checkCancellation()
                    tally.next()
                    send(number)
                }
            }
        return EffectRunner(
            router, threads: HandlerThreads(name: "test", limit: 2),
            limits: SendLimits(events: events, bytes: bytes)
        ) { [outcomes, bound] outcome in
            outcomes.add(outcome)
            guard outcomes.elements.count > bound.allowed.load(ordering: .sequentiallyConsistent) else { return }
            bound.isExceeded.store(true, ordering: .sequentiallyConsistent)
        }
    }

    private func run(_ effect: Effect, on runner: EffectRunner) throws {
        runner.run([(id, try TypedCodec<Effect>.json().encode(effect))])
    }

    /// From now on there may be so many outcomes: a handler that does not wait has more, and is found out by the next look.
    private func allow(_ count: Int) {
        bound.allowed.store(count, ordering: .sequentiallyConsistent)
    }

    private func settled(_ count: Int) async throws {
        try await outcomes.wait(for: "\(count) outcomes") { $0.count >= count }
        #expect(outcomes.elements.count == count)
        let isExceeded = bound.isExceeded.load(ordering: .sequentiallyConsistent)
        #expect(!isExceeded)
    }

    @Test(arguments: [Effect.block(25), .stream(25), .work(25)])
    func aHandlerWaitsUntilEnoughIsAcknowledged(_ effect: Effect) async throws {
        let runner = runner()
        allow(10)
        try run(effect, on: runner)
        try await settled(10)
        // One that was acknowledged does not pay to wake it for.
        runner.acknowledged(id, events: 1, bytes: 1)
        try await settled(10)
        allow(15)
        runner.acknowledged(id, events: 4, bytes: 4)
        try await settled(15)
        allow(26)
        runner.acknowledged(id, events: 10, bytes: 15)
        // Its end needs no room.
        runner.acknowledged(id, events: 10, bytes: 20)
        try await outcomes.wait { $0.count == 26 }
        guard case .report(id, nil, true)? = outcomes.elements.last else {
            Issue.record("\(outcomes.elements.last as Any)")
            return
        }
    }

    @Test func bytesCountAsEventsDo() async throws {
        let runner = runner(bytes: 3)
        allow(3)
        try run(.stream(25), on: runner)
        try await settled(3)
        allow(6)
        runner.acknowledged(id, events: 3, bytes: 3)
        try await settled(6)
    }

    @Test(arguments: [Effect.block(1000), .stream(1000), .work(1000)])
    func whatIsCancelledWaitsNoMore(_ effect: Effect) async throws {
        let runner = runner()
        allow(10)
        try run(effect, on: runner)
        try await settled(10)
        runner.cancel(id)
        try await outcomes.wait(for: "its end") { outcomes in
            outcomes.contains { if case .report(_, nil, true) = $0 { true } else { false } }
        }
        #expect(outcomes.elements.count == 11, "nobody waits for what it sends then")
    }

    // A coordinator that does not know that the attempt was cancelled would take an event after a dropped one.
    @Test func nothingFollowsADroppedEvent() async throws {
        let runner = runner()
        allow(10)
        try run(.stubborn(11), on: runner)
        try await settled(10)
        runner.cancel(id)
        let tally = tally
        try await eventually("the eleventh is dropped") { tally.count == 1 }
        runner.acknowledged(id, events: 10, bytes: 11)
        gate.continuation.yield()
        try await outcomes.wait(for: "its end") { outcomes in
            outcomes.contains { if case .report(_, nil, true) = $0 { true } else { false } }
        }
        #expect(outcomes.elements.count == 11)
    }

    // The first never ends by itself: a handler that has ended is not told to stop.
    @Test(arguments: [Effect.block(.max), .stream(1000), .work(1000)])
    func whatIsAbandonedWaitsNoMore(_ effect: Effect) async throws {
        let runner = runner()
        let tally = tally
        allow(10)
        try run(effect, on: runner)
        try await settled(10)
        runner.cancelAll()
        if case .block = effect {
            // The one that waited has come back, and has seen that it was told to stop.
            try await eventually("the handler ends") { tally.isStopped.load(ordering: .relaxed) }
        }
        try await settled(10)
    }

    @Test func aTaskThatWaitsBlocksNoThread() async throws {
        let runner = runner(events: 1)
        let ids = (1...64).map {
            AttemptID(effect: EffectID(loop: .main, sequence: $0, index: 0), attempt: Attempt(epoch: 1, number: 1))
        }
        runner.run(try ids.map { ($0, try TypedCodec<Effect>.json().encode(.work(2))) })
        // More than Swift has threads: all have sent one, and wait.
        try await outcomes.wait(for: "one of each") { $0.count == 64 }
        for id in ids { runner.acknowledged(id, events: 1, bytes: 1) }
        try await outcomes.wait(for: "all") { $0.count == 64 * 3 }
    }
}
