import MobiusCore
import MobiusTestKit
import Testing

// example: program
/// Books a flight, a hotel and a car, one after the other; when one fails, cancels what was booked.
enum TripBooking: LoopProgram {
    enum Step: String, Codable, Sendable, CaseIterable { case flight, hotel, car }

    enum State: Codable, Sendable, Equatable {
        case idle, booking, booked
        case undoing(String)
        case cancelled(String)
        case stuck(Step, String)
    }

    struct Model: Codable, Sendable, Equatable {
        var state = State.idle
        var booked: [Step] = []
    }

    enum Event: Codable, Sendable, Equatable {
        case requested
        case booked(Step)
        case failed(Step, String)
        case undone(Step)
        case undoFailed(Step, String)
    }

    enum Effect: Codable, Sendable, Equatable {
        case book(Step)
        case undo(Step)
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch (event, model.state) {
        case (.requested, .idle):
            model.state = .booking
            return .next(model, effects: [.book(.flight)])
        case (.booked(let step), .booking):
            model.booked.append(step)
            guard let next = Step.allCases.first(where: { !model.booked.contains($0) }) else {
                model.state = .booked
                return .next(model)
            }
            return .next(model, effects: [.book(next)])
        case (.failed(let step, let reason), .booking):
            model.state = .undoing(reason)
            model.booked.append(step)  // it may have been booked, and its answer lost
            return .next(model, effects: [.undo(step)])
        case (.undone(let step), .undoing(let reason)):
            model.booked.removeAll { $0 == step }
            if let last = model.booked.last { return .next(model, effects: [.undo(last)]) }
            model.state = .cancelled(reason)
            return .next(model)
        case (.undoFailed(let step, let reason), .undoing):
            model.state = .stuck(step, reason)  // a person has to look
            return .next(model)
        case (.undone, .stuck(_, let reason)):  // an operator has retried the dead letter
            model.state = .undoing(reason)
            return update(model, event)
        case (.booked(let step), .cancelled):  // a dead letter of the booking was retried, too late
            return .dispatchEffects([.undo(step)])
        default:
            return .noChange
        }
    }
}
// end

// example: routes
extension TripBooking {
    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.book).toWorkers("agency", attempts: 3) { step, failure in
            .failed(step, failure.description)
        }
        .routeCase(Effect.undo).toWorkers(
            "agency", policy: EffectPolicy(retry: RetryPolicy(attempts: 20, maximum: .seconds(3600), onTimeout: true))
        ) { step, failure in .undoFailed(step, failure.description) }

    static func handlers(_ agency: any Agency) -> EffectRouter<Effect, Event> {
        EffectRouter()
            .routeCase(Effect.book).toWork { step, context in
                try await agency.book(step, reference: "\(context.id.loop)/\(step)")
                return .booked(step)
            }
            .routeCase(Effect.undo).toWork { step, context in
                try await agency.cancel(reference: "\(context.id.loop)/\(step)")
                return .undone(step)
            }
    }
}

protocol Agency: Sendable {
    /// Books once for each reference.
    func book(_ step: TripBooking.Step, reference: String) async throws
    /// Does nothing when there is no such booking.
    func cancel(reference: String) async throws
}
// end

private actor FakeAgency: Agency {
    private(set) var bookings: [String] = []
    private let full: TripBooking.Step?
    private var isDown = false

    init(full: TripBooking.Step? = nil) { self.full = full }

    func book(_ step: TripBooking.Step, reference: String) throws {
        if step == full { throw EffectFailed("no \(step) is free", retryable: false) }
        if !bookings.contains(reference) { bookings.append(reference) }
    }

    func cancel(reference: String) throws {
        if isDown { throw EffectFailed("the agency is closed") }
        bookings.removeAll { $0 == reference }
    }

    func close() { isDown = true }
}

@Suite("Cookbook: a saga")
struct SagaRecipe {
    // example: test
    @Test func aFullCarRentalCancelsHotelAndFlight() async throws {
        let agency = FakeAgency(full: .car)
        let fleet = TestFleet(
            TripBooking.self, routes: TripBooking.routes,
            workers: [.pool("agency") { TripBooking.handlers(agency) }])
        fleet.send(.requested)
        try await fleet.runUntilQuiet()
        #expect(fleet.model.state == .cancelled("no car is free"))
        #expect(await agency.bookings == [])
        try await fleet.finish()
    }
    // end

    @Test func allStepsAreBookedWhicheverProcessIsKilled() async throws {
        try await TestFleet.check(seeds: 1...5) { seed in
            TestFleet(
                TripBooking.self, routes: TripBooking.routes,
                workers: [.pool("agency") { [agency = FakeAgency()] in TripBooking.handlers(agency) }], seed: seed,
                faults: FleetFaults([.killCoordinator, .loseMessages]))
        } run: { fleet in
            fleet.send(.requested)
            try await fleet.runUntilQuiet()
            #expect(fleet.model == TripBooking.Model(state: .booked, booked: [.flight, .hotel, .car]))
        }
    }

    @Test func aFailedCancellationIsSeen() async throws {
        let agency = FakeAgency(full: .hotel)
        await agency.close()
        let fleet = TestFleet(
            TripBooking.self, routes: TripBooking.routes,
            workers: [.pool("agency") { TripBooking.handlers(agency) }])
        fleet.send(.requested)
        try await fleet.run(for: .seconds(86_400))
        #expect(fleet.model.state == .stuck(.hotel, "the agency is closed"))
        try await fleet.finish()
    }
}
