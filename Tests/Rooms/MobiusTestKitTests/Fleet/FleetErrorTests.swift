import FleetTestSupport
import Foundation
import MobiusCore
import MobiusTestKit
import Testing

/// What a test's author reads when something is wrong.
@Suite struct FleetErrorTests {
    @Test func aHandlerThatWaitsForTheOutsideWorld() async throws {
        let (outside, door) = AsyncStream.makeStream(of: Void.self)
        defer { door.finish() }
        let begun = Deeds()
        let fleet = TestFleet(
            Errands.self, routes: Errands.routes,
            workers: [
                .pool("runners") {
                    Errands.runners { name, _ in
                        begun.add(name)
                        for await _ in outside {}
                    }
                }
            ], realTimeLimit: .milliseconds(200))
        fleet.send(.wanted("milk"))
        try await stick(fleet, begun)
        let error = await #expect(throws: TestFleetError.self) { try await fleet.runUntilQuiet() }
        #expect(error?.code == .stuckHandler)
        #expect(
            error?.message.contains("run(\"milk\") (effect main/1/0, in runners 0#1)") == true,
            "\(error?.message ?? "")")
        #expect(error?.message.contains("clock") == true)
    }

    /// Runs it until its handler has begun: on a busy machine it may be stuck before it has its thread.
    private func stick(_ fleet: TestFleet<Errands>, _ begun: Deeds) async throws {
        try await eventually("the handler to begin") {
            await #expect(throws: TestFleetError.self) { try await fleet.runUntilQuiet() }
            return begun.all == ["milk"]
        }
    }

    @Test func aHandlerThatHoldsItsThread() async throws {
        let free = DispatchSemaphore(value: 0)
        let begun = Deeds()
        let fleet = TestFleet(
            Errands.self, routes: Errands.routes,
            workers: [
                .pool("runners") {
                    EffectRouter().routeCase(Errands.Effect.run).toEvent { name in
                        begun.add(name)
                        free.wait()
                        return .done(name)
                    }
                }
            ], realTimeLimit: .milliseconds(200))
        fleet.send(.both("milk", "bread"))
        try await stick(fleet, begun)
        let error = await #expect(throws: TestFleetError.self) { try await fleet.runUntilQuiet() }
        #expect(error?.code == .stuckHandler)
        #expect(error?.message.contains("run(\"milk\")") == true)
        #expect(error?.message.contains("bread") == false, "that one only waits for the thread")
        free.signal()
        free.signal()
        try await eventually("the two to go on") {
            try await fleet.runUntilQuiet()
            return true
        }
        #expect(fleet.model.done == ["milk", "bread"])
    }

    @Test func anEffectForAPoolWithoutWorkers() async throws {
        let fleet = TestFleet(Errands.self, routes: Errands.routes)
        fleet.send(.wanted("milk"))
        let error = await #expect(throws: TestFleetError.self) {
            try await fleet.runUntilQuiet(within: .seconds(100))
        }
        #expect(error?.code == .notReached)
        #expect(error?.message.contains("for the pool runners, which has no workers") == true)
    }

    @Test func aModelThatDoesNotCome() async throws {
        let fleet = Errands.fleet()
        fleet.send(.wanted("milk"))
        let error = await #expect(throws: TestFleetError.self) {
            try await fleet.run(until: { $0.done == ["bread"] }, within: .seconds(10))
        }
        #expect(error?.code == .notReached)
        #expect(error?.message.contains("Nothing is left to do") == true)
        #expect(fleet.now > .seconds(9))
    }

    @Test func anEffectWithoutARoute() async throws {
        let fleet = Errands.fleet()
        fleet.send(.ask(.lost))
        let error = await #expect(throws: TestFleetError.self) { try await fleet.runUntilQuiet() }
        #expect(error?.code == .program)
        #expect(error?.message.contains("lost") == true, "\(error?.message ?? "")")
    }

    @Test(arguments: Impure.Event.allCases)
    func anUpdateThatIsNotPure(_ event: Impure.Event) async throws {
        let fleet = TestFleet(
            Impure.self, routes: EffectRouter { _ in .toEvent { nil } })
        for _ in 0..<5 { fleet.send(event) }
        let error = await #expect(throws: TestFleetError.self) {
            try await fleet.runUntilQuiet()
            try await fleet.finish()
        }
        #expect(error?.code == .promiseBroken)
        #expect(error?.message.contains("update is not pure") == true)
    }

    @Test func aTestThatIsCancelled() async throws {
        let fleet = Errands.fleet()
        // From within: all that time may have passed before another thread comes to say so.
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await fleet.run(for: .seconds(100_000_000))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

/// Uses chance and a clock in its update, which it must not.
enum Impure: LoopProgram {
    struct Model: Codable, Sendable { var number: UInt64 = 0 }

    enum Event: Codable, Sendable, CaseIterable {
        /// A number in the model.
        case draw
        /// A bit of the model: five of them are the same in nine runs once in 10¹².
        case toss
        /// The time in an effect only.
        case ask
        /// An effect or none.
        case mayAsk
    }

    enum Effect: Codable, Sendable, Equatable {
        case never
        case log(Date)
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .draw: model.number = .random(in: 1 ... .max)
        case .toss: model.number = model.number * 2 + (.random() ? 1 : 0)
        case .ask: return .dispatchEffects([.log(Date())])
        case .mayAsk: return .random() ? .dispatchEffects([.never]) : .noChange
        }
        return .next(model)
    }
}
