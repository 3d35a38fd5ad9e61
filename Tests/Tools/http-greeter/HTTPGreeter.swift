import Greeter
import MobiusCoordinator
import MobiusCore
import MobiusHTTP

/// The coordinator of the README's app with the HTTP server, which the app itself leaves out for its first build.
@main struct HTTPGreeter: CoordinatorCommand {
    typealias Program = Greeter

    static let name = "greeter"

    var routes: Routes {
        Routes().routeCase(Greeter.Effect.greet).toWorkers("greeters", timeout: .seconds(5)) { name, failure in
            .greetingFailed(name, failure.description)
        }
    }

    func configure(_ settings: inout CoordinatorSettings) {
        settings.telemetryServer = .http
    }
}
