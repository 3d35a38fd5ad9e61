import MobiusCoordinator
import MobiusCore
import MobiusTestKit
import TestTraits
import Testing

// example: trip
/// One trip, such as `trip/4711`: it asks a train for seats.
enum Trip: LoopProgram {
    enum Model: Codable, Sendable, Equatable {
        case new, asking
        case reserved(seats: [Int])
        case impossible(String)
    }

    enum Event: Codable, Sendable {
        case wanted(train: String, seats: Int)
        case reserved(seats: [Int])
        case refused(String)
    }

    enum Effect: Codable, Sendable, Equatable { case reserve(train: String, seats: Int) }

    static func initiate() -> First<Model, Effect> { First(model: .new) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        switch event {
        case .wanted(let train, let seats): .next(.asking, effects: [.reserve(train: train, seats: seats)])
        case .reserved(let seats): .next(.reserved(seats: seats))
        case .refused(let reason): .next(.impossible(reason))
        }
    }
}
// end

// example: routes
extension Trip: FleetProgram {
    static let kind: LoopKind = "trip"
    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.reserve).asks(timeout: .seconds(10)) { train, seats in
            (Address<Seats>(train), .asked(seats: seats))
        } answer: { _, answer in
            heard(answer)
        }

    private static func heard(_ answer: LoopAnswer<Seats.Receipt>) -> Event {
        switch answer {
        case .answer(let receipt): .reserved(seats: receipt.seats)
        case .nothing: .refused("the train did not answer")
        case .refused(let reason): .refused(reason)
        case .failed(let failure): .refused("it is not known whether there are seats: \(failure)")
        }
    }
}
// end

/// Marked with `@main` in an executable of its own.
struct Railway: CoordinatorCommand {
    var programs: Programs {
        Seats.self
        Trip.self
    }
}

@Suite("Cookbook: loops that ask", .patient)
struct AskingRecipe {
    // example: test
    @Test func aTripHasTheSeatsThatTheTrainGaveIt() async throws {
        let fleet = TestFleet(programs: Railway().programs)
        fleet.send(.wanted(train: "701", seats: 3), to: Address<Trip>("a"))
        fleet.killCoordinator()
        fleet.send(.wanted(train: "701", seats: 2), to: Address<Trip>("b"))
        try await fleet.runUntilQuiet()
        #expect(fleet.model(of: Address<Trip>("a")) == .reserved(seats: [1, 2, 3]))
        #expect(fleet.model(of: Address<Trip>("b")) == .impossible("1 of 2 seats are free"))
        #expect(fleet.model(of: Address<Seats>("701")).free == [4])
        try await fleet.finish()
    }
    // end
}
