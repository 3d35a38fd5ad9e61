import Foundation
import MobiusCoordinator
import MobiusCore
import SmallEvents

/// Recovers a journal of small events, prints how many its model has seen, and ends.
@main
struct SmallCoordinator: CoordinatorCommand {
    typealias Program = Ledger

    static let name = "small-coordinator"
    static let abstract = "Measures how fast a loop comes back from its journal."

    var routes: Routes {
        Routes().routeCase(Ledger.Effect.settle).toWorkers("ledgers", timeout: nil) { account, _ in
            .refused(account: account)
        }
    }

    func run(_ loop: LoopHandle<Ledger>) async throws {
        for await model in loop.models {
            print(model.applied)
            fflush(nil)
            // Not orderly, which would keep a snapshot: the next round replays the same journal.
            _exit(0)
        }
    }
}
