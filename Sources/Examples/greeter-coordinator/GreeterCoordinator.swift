import ArgumentParser
import Greeter
import MobiusCoordinator
import MobiusCore

@main struct GreeterCoordinator: CoordinatorCommand {
    typealias Program = Greeter

    @Argument(help: "Who is at the door.")
    var guests: [String] = []

    var routes: Routes {
        Routes().routeCase(Greeter.Effect.greet).toWorkers("greeters", timeout: .seconds(5)) { name, failure in
            .greetingFailed(name, failure.description)
        }
    }

    func run(_ loop: LoopHandle<Greeter>) async throws {
        for guest in guests { try await loop.send(.guestArrived(guest), key: guest) }
        try await loop.untilStopped()
    }
}
