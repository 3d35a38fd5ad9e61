import MobiusCore
import MobiusTestKit
import Testing

// example: program
/// A trip, such as the loop `trip/4711`: books a flight, a hotel and a car, and cancels what was booked when one fails.
enum TripBooking: LoopProgram {
    enum Step: String, Codable, Sendable, CaseIterable { case flight, hotel, car }

    enum State: String, Codable, Sendable { case idle, booking, booked, undoing, cancelled, stuck }

    struct Model: Codable, Sendable, Equatable {
        var state = State.idle
        var booked: [Step] = []
        var reason: String?
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
            (model.state, model.reason) = (.undoing, reason)
            model.booked.append(step)  // it may have been booked, and its answer lost
            return .next(model, effects: [.undo(step)])
        case (.undone(let step), .undoing), (.undone(let step), .stuck):
            model.booked.removeAll { $0 == step }
            model.state = model.booked.isEmpty ? .cancelled : .undoing
            return .next(model, effects: model.booked.last.map { [.undo($0)] } ?? [])
        case (.undoFailed, _):
            model.state = .stuck  // a person has to look, and to retry the dead letter
            return .next(model)
        case (.booked(let step), .undoing), (.booked(let step), .cancelled), (.booked(let step), .stuck):
            return .dispatchEffects([.undo(step)])  // the dead letter of a booking was retried, too late
        default:
            return .noChange
        }
    }
}
// end

// example: routes
extension TripBooking: FleetProgram {
    static let kind: LoopKind = "trip"
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
            programs: Programs { TripBooking.self },
            workers: [.pool("agency", of: TripBooking.self) { TripBooking.handlers(agency) }])
        let trip = Address<TripBooking>("4711")
        fleet.send(.requested, to: trip)
        try await fleet.runUntilQuiet()
        #expect(fleet.model(of: trip) == TripBooking.Model(state: .cancelled, reason: "no car is free"))
        #expect(await agency.bookings == [])
        try await fleet.finish()
    }
    // end

    @Test func allStepsAreBookedWhicheverProcessIsKilled() async throws {
        try await TestFleet.check(seeds: 1...5) { seed in
            TestFleet(
                programs: Programs { TripBooking.self },
                workers: [
                    .pool("agency", of: TripBooking.self) { [agency = FakeAgency()] in TripBooking.handlers(agency) }
                ], seed: seed, faults: FleetFaults([.killCoordinator, .loseMessages]))
        } run: { fleet in
            let trip = Address<TripBooking>("4711")
            fleet.send(.requested, to: trip)
            try await fleet.runUntilQuiet()
            #expect(fleet.model(of: trip) == TripBooking.Model(state: .booked, booked: [.flight, .hotel, .car]))
        }
    }

    @Test func aFailedCancellationIsSeen() async throws {
        let agency = FakeAgency(full: .hotel)
        await agency.close()
        let fleet = TestFleet(
            programs: Programs { TripBooking.self },
            workers: [.pool("agency", of: TripBooking.self) { TripBooking.handlers(agency) }])
        let trip = Address<TripBooking>("4711")
        fleet.send(.requested, to: trip)
        try await fleet.run(for: .seconds(86_400))
        #expect(fleet.model(of: trip).state == .stuck)
        #expect(fleet.deadLetters.map { $0.effect.value as? TripBooking.Effect }.contains(.undo(.hotel)))
        try await fleet.finish()
    }

    @Test func aBookingThatComesTooLateIsUndone() {
        let cancelled = TripBooking.Model(state: .cancelled, reason: "no car is free")
        #expect(TripBooking.update(cancelled, .booked(.car)).effects == [.undo(.car)])
        let stuck = TripBooking.Model(state: .stuck, booked: [.flight, .hotel], reason: "no car is free")
        let next = TripBooking.update(stuck, .undone(.hotel))
        #expect(next.effects == [.undo(.flight)])
        #expect(next.model?.state == .undoing)
    }
}
