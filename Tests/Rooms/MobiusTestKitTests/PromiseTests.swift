import BankSimulation
import FleetSimulation
import MobiusTestKit
import Synchronization
import TestTraits
import Testing

/// Whole fleets under faults, in virtual time.
///
/// `Tests/run simulate` runs far more of them.
@Suite(.ownThread)
struct PromiseTests {
    /// Batches, so that they run side by side; a failure names its seed.
    @Test(arguments: 0..<UInt64(8))
    func everyPromiseIsKept(batch: UInt64) {
        var counts = ClusterCounts()
        for seed in (1 + batch * 40)...(40 + batch * 40) { counts += expectPromises(seed) }
        let (done, all) = Self.counts.withLock {
            $0.done += 1
            $0.counts += counts
            return ($0.done, $0.counts)
        }
        guard done == 8 else { return }
        for kind in ClusterCounts.all { #expect(all[keyPath: kind.path] > 0, "no \(kind.name) in all batches") }
    }

    /// What happened to the leases of clusters in the batches that have ended.
    private static let counts = Mutex((done: 0, counts: ClusterCounts()))

    private func expectPromises(_ seed: UInt64) -> ClusterCounts {
        let run = BankRun(seed: seed)
        let violations = run.run()
        let sentences = violations.prefix(6).map(\.description).joined(separator: "; ")
        #expect(violations.isEmpty, "seed \(seed): \(sentences). Replay it with: Tests/run simulate --trace \(seed)")
        return run.simulation.clusterCounts
    }
}
