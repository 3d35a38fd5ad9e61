import MobiusCoordinator
import MobiusCore
import MobiusHTTP

// example: serving
struct ClubCoordinator: CoordinatorCommand {
    typealias Program = Club

    var routes: Routes { Club.routes }

    func configure(_ settings: inout CoordinatorSettings) {
        settings.telemetryServer = .http
    }
}
// end
