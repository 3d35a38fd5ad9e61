import MobiusCoordinator
import MobiusCore
import SampleApp

/// The process that holds the models, writes the journal and hands out the effects.
@main struct SampleAppCoordinator: CoordinatorCommand {
    typealias Program = SampleApp

    static let name = "sample-app"

    var routes: Routes { SampleApp.routes }

    func configure(_ settings: inout CoordinatorSettings) {
        // One loop for each entity: `mobius send … --loop customer/42` begins one.
        settings.clientsMayStartLoops = true
    }

    func run(_ loop: LoopHandle<SampleApp>) async throws {
        // From here an event for another loop is: try await loop.loop("customer/42").send(.added(item: "apple"))
        for await model in loop.models {
            print("results: \(model.results.count), failures: \(model.failures.count)")
        }
    }
}
