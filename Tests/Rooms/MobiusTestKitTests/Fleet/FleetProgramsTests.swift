import Foundation
import MobiusCore
import MobiusTestKit
import MobiusWire
import Testing

/// Several programs in one fleet, through crashes.
@Suite struct FleetProgramsTests {
    private static let programs = Programs {
        Basket.self
        Till.self
    }

    private static let workers: [TestFleet<Programs>.Workers] = [
        .pool("packers", of: Basket.self, processes: 2) {
            EffectRouter<Basket.Effect, Basket.Event>()
                .routeCase(Basket.Effect.pack).toEvent { things in .packed(weight: things.count * 100) }
        },
        .pool("printers", of: Till.self) {
            EffectRouter<Till.Effect, Till.Event>().routeCase(Till.Effect.print).toEvent { total in
                .printed(total)
            }
        },
    ]

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func programsSendEventsToEachOtherThroughCrashes(seed: UInt64) async throws {
        let fleet = TestFleet(
            programs: Self.programs,
            workers: Self.workers, seed: seed)
        for name in ["a", "b", "c"] {
            let basket = Address<Basket>(name)
            fleet.send(.added("tea"), to: basket)
            fleet.send(.added("cup"), to: basket, key: "cup")
            fleet.send(.added("cup"), to: basket, key: "cup")
        }
        try await fleet.run(for: .milliseconds(200))
        for name in ["a", "b", "c"] {
            fleet.killCoordinator()
            fleet.send(.closed, to: Address<Basket>(name))
            fleet.killWorker(in: "packers")
            try await fleet.run(for: .milliseconds(400))
        }
        try await fleet.runUntilQuiet()
        #expect(fleet.model(of: Address<Basket>("b")) == Basket.Model(things: ["tea", "cup"], weight: 200))
        #expect(fleet.model(of: Address<Till>.only).sold == ["basket/a": 200, "basket/b": 200, "basket/c": 200])
        #expect(fleet.model(of: Address<Till>.only).printed.max() == 600)
        #expect(!fleet.hasEnded(Address<Basket>("a")))
        #expect(fleet.model(of: Address<Basket>("new")) == Basket.Model())
        #expect(fleet.runs.contains { "\($0.effect)".contains("pack") })
        try await fleet.finish()
    }

    /// All faults that a fleet may have, at random.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func nothingIsLostBetweenProgramsUnderRandomFaults(seed: UInt64) async throws {
        let fleet = TestFleet(
            programs: Self.programs,
            workers: Self.workers, seed: seed, faults: .all)
        for number in 0..<6 {
            let basket = Address<Basket>("\(number)")
            for thing in 0..<number { fleet.send(.added("\(thing)"), to: basket) }
            try await fleet.run(for: .milliseconds(300))
        }
        try await fleet.runUntilQuiet()
        for number in 0..<6 { fleet.send(.closed, to: Address<Basket>("\(number)")) }
        try await fleet.runUntilQuiet()
        let sold = Dictionary(uniqueKeysWithValues: (0..<6).map { ("basket/\($0)", $0 * 100) })
        #expect(fleet.model(of: Address<Till>.only).sold == sold)
        try await fleet.finish()
    }

    @Test func anImpureProgramAmongSeveralIsFound() async throws {
        let fleet = TestFleet(
            programs: Programs {
                Till.self
                Dice.self
            })
        fleet.send(.thrown, to: Address<Dice>("1"))
        let error = await #expect(throws: TestFleetError.self) {
            try await fleet.runUntilQuiet()
            try await fleet.finish()
        }
        #expect(error?.code == .promiseBroken)
        #expect(error?.message.contains("dice/1") == true, "\(error?.message ?? "")")
    }
}

enum Basket: ContextLoopProgram, FleetProgram {
    struct Model: Codable, Sendable, Equatable {
        var things: [String] = []
        var weight: Int?
    }

    enum Event: Codable, Sendable {
        case added(String)
        case closed
        case packed(weight: Int)
    }

    enum Effect: Codable, Sendable {
        case pack([String])
        case tell(String, Int)
    }

    static let kind: LoopKind = "basket"

    static func initiate(_ context: LoopContext) -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event, _ context: LoopContext) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .added(let thing):
            model.things.append(thing)
            return .next(model)
        case .closed: return .dispatchEffects([.pack(model.things.sorted().reversed())])
        case .packed(let weight):
            model.weight = weight
            return .next(model, effects: [.tell(context.loop, weight)])
        }
    }

    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.pack).toWorkers("packers") { _, _ in .packed(weight: -1) }
        .routeCase(Effect.tell).toLoop { basket, weight in (Address<Till>.only, .paid(basket, weight)) }
}

enum Till: InPlaceLoopProgram, FleetProgram {
    struct Model: Codable, Sendable, Equatable {
        var sold: [String: Int] = [:]
        var printed: [Int] = []
    }

    enum Event: Codable, Sendable {
        case paid(String, Int)
        case printed(Int)
    }

    enum Effect: Codable, Sendable {
        case print(Int)
    }

    static let kind: LoopKind = "till"

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        switch event {
        case .paid(let basket, let amount):
            model.sold[basket, default: 0] += amount
            return .next(effects: [.print(model.sold.values.reduce(0, +))])
        case .printed(let total):
            model.printed.append(total)
            return .next()
        }
    }

    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.print).toWorkers("printers") { _, _ in .printed(-1) }
}

enum Dice: LoopProgram, FleetProgram {
    enum Event: Codable, Sendable { case thrown }

    static let kind: LoopKind = "dice"
    static let routes = EffectRouter<Never, Event>()

    static func initiate() -> First<Int, Never> { First(model: 0) }

    static func update(_ model: Int, _ event: Event) -> Next<Int, Never> { .next(.random(in: 1...1_000_000_000)) }
}
