import MobiusCore
import MobiusTestKit
import Testing

// example: program
/// Finds the places of addresses with a service that allows five requests per second.
enum Geocoding: LoopProgram {
    struct Model: Codable, Sendable, Equatable {
        var places: [String: String] = [:]
    }

    enum Event: Codable, Sendable, Equatable {
        case added([String])
        case found(String, place: String)
        case notFound(String, String)
    }

    enum Effect: Codable, Sendable, Equatable { case find(String) }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .added(let addresses): return .dispatchEffects(addresses.map { .find($0) })
        case .found(let address, let place): model.places[address] = place
        case .notFound(let address, let reason): model.places[address] = "unknown: \(reason)"
        }
        return .next(model)
    }
}
// end

// example: routes
extension Geocoding {
    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.find).toWorkers(
            "geocoders",
            policy: EffectPolicy(
                retry: RetryPolicy(attempts: 10),
                limit: EffectLimit("geocoder", concurrency: 4, rate: .init(5, per: .seconds(1))))
        ) { address, failure in .notFound(address, failure.description) }

    static func handlers(_ service: any GeocodingService) -> EffectRouter<Effect, Event> {
        EffectRouter().routeCase(Effect.find).toWork { address, _ in
            switch try await service.find(address) {
            case .place(let place): return .found(address, place: place)
            case .tooManyRequests(let pause): throw EffectFailed("too many requests", after: pause)
            case .noSuchAddress: return .notFound(address, "no such address")
            }
        }
    }
}

enum GeocodingAnswer {
    case place(String)
    case tooManyRequests(retryAfter: Duration)
    case noSuchAddress
}

protocol GeocodingService: Sendable {
    func find(_ address: String) async throws -> GeocodingAnswer
}
// end

private actor FakeGeocoder: GeocodingService {
    private var calls = 0

    /// Every tenth call is refused.
    func find(_ address: String) -> GeocodingAnswer {
        calls += 1
        return calls % 10 == 0 ? .tooManyRequests(retryAfter: .seconds(30)) : .place("here")
    }
}

@Suite("Cookbook: a service with a rate limit")
struct RateLimitRecipe {
    // example: test
    @Test func fiftyAddressesTakeNineSecondsHoweverManyWorkersThereAre() async throws {
        let service = FakeGeocoder()
        let fleet = TestFleet(
            Geocoding.self, routes: Geocoding.routes,
            workers: [.pool("geocoders", processes: 8) { Geocoding.handlers(service) }])
        fleet.send(.added((1...50).map { "street \($0)" }))
        try await fleet.runUntilQuiet()
        #expect(fleet.model.places.count == 50)
        let starts = fleet.runs.map(\.began).sorted()
        #expect(starts[49] - starts[0] > .milliseconds(8_900))  // five at once, then five per second
        try await fleet.finish()
    }
    // end
}
