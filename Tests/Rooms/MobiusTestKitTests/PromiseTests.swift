import BankSimulation
import FleetSimulation
import MobiusTestKit
import TestTraits
import Testing

/// Whole fleets under faults, in virtual time.
///
/// `Tests/run simulate` runs far more of them.
@Suite(.ownThread)
struct PromiseTests {
    /// Batches, so that they run side by side; a failure names its seed.
    @Test(arguments: 0..<UInt64(4))
    func everyPromiseIsKept(batch: UInt64) {
        for seed in (1 + batch * 10)...(10 + batch * 10) { expectPromises(seed) }
    }

    /// Each failed before something was mended: the code for a model that cannot be computed; a release while the coordinator stops.
    @Test(arguments: [9_014_562, 9_080_941] as [UInt64])
    func whatALongRunFoundStaysMended(seed: UInt64) { expectPromises(seed) }

    private func expectPromises(_ seed: UInt64) {
        let run = BankRun(seed: seed)
        let violations = run.run() + ClearingRun.violations(seed: seed)
        let sentences = violations.prefix(6).map(\.description).joined(separator: "; ")
        #expect(violations.isEmpty, "seed \(seed): \(sentences). Replay it with: Tests/run simulate --trace \(seed)")
    }
}
