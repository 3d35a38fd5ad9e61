import Foundation
import MobiusCoordinator
import MobiusCore
import MobiusJournalPostgreSQL

/// A parcel, such as `parcel/4711`: each of its arrivals is counted by the depot of a city.
enum Parcel: LoopProgram {
    struct Model: Codable, Sendable { var arrivals = 0 }
    enum Event: Codable, Sendable { case arrived(city: String) }
    enum Effect: Codable, Sendable { case count(city: String) }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        switch event {
        case .arrived(let city): .next(Model(arrivals: model.arrivals + 1), effects: [.count(city: city)])
        }
    }
}

/// The depot of a city, such as `depot/Oslo`, which counts arrivals.
enum Depot: LoopProgram {
    struct Model: Codable, Sendable { var count = 0 }
    enum Event: Codable, Sendable { case counted }
    typealias Effect = Never

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> { .next(Model(count: model.count + 1)) }
}

extension Parcel: FleetProgram {
    static let kind: LoopKind = "parcel"
    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.count).toLoop { city in (Address<Depot>(city), .counted) }
}

extension Depot: FleetProgram {
    static let kind: LoopKind = "depot"
}

private func isSet(_ name: String) -> Bool { ProcessInfo.processInfo.environment[name] != nil }

@main struct ParcelsCoordinator: CoordinatorCommand {
    var programs: Programs {
        // A later build has given parcels up.
        if isSet("PARCELS_RETIRED") { Parcel.retired } else { Parcel.self }
        Depot.self
    }

    func configure(_ settings: inout CoordinatorSettings) {
        settings.journalOpeners = [.postgreSQL]
    }

    func run(_ loop: LoopHandle<Programs>) async throws {
        if isSet("PARCELS_BEGIN") { try await begin(loop) }
        try await loop.untilStopped()
    }

    /// Begins parcels, wherever they run, until one was taken and one refused, and prints why.
    private func begin(_ loop: LoopHandle<Programs>) async throws {
        var (hasBegun, refusal) = (false, CoordinatorError?.none)
        while refusal == nil || !hasBegun {
            do {
                try await loop.loops(Parcel.self)[UUID().uuidString].send(.arrived(city: "Bonn"))
                hasBegun = true
            } catch let error as CoordinatorError where error.code == .noProgram {
                refusal = error
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        // At once, also into a pipe.
        FileHandle.standardOutput.write(Data("some began, some not: \(refusal?.message ?? "")\n".utf8))
    }
}
