import BankSimulation
import MobiusTestKit

/// One seed, told step by step.
enum Replay {
    /// Whether the seed kept every promise.
    static func trace(_ seed: UInt64) -> Bool {
        let run = BankRun(seed: seed)
        run.world.onTrace = { print($0) }
        let violations =
            run.run() + LimitWorld.violations(seed: seed) + ClearingRun.violations(seed: seed) { print($0) }
        for violation in violations { print("BROKEN \(violation)") }
        if violations.isEmpty { print("Seed \(seed) kept every promise, in \(run.world.steps) steps.") }
        return violations.isEmpty
    }
}
