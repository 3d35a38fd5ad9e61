import BankSimulation
import FleetSimulation
import Foundation
import MobiusTestKit
import Synchronization

/// Many seeds, several at a time, until one fails.
final class Campaign: Sendable {
    private struct State {
        var next: UInt64
        var done: UInt64 = 0
        var steps = 0
        var clusters = 0
        var counts = ClusterCounts()
        var pastModels = (read: 0, refused: 0)
        var traps: [String: Int] = [:]
        var trapping = 0
        var failure: (seed: UInt64, violations: [Violation])?
    }

    private let options: Options
    private let state: Mutex<State>

    init(_ options: Options) {
        self.options = options
        state = Mutex(State(next: options.from))
    }

    /// Whether every seed kept every promise.
    func run() -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        DispatchQueue.concurrentPerform(iterations: options.threads) { thread in work(thread) }
        let seconds =
            Double((clock.now - start).components.attoseconds) / 1e18 + Double((clock.now - start).components.seconds)
        let (done, steps, failure) = state.withLock { ($0.done, $0.steps, $0.failure) }
        let (clusters, counts, past) = state.withLock { ($0.clusters, $0.counts, $0.pastModels) }
        let (trapping, traps) = state.withLock { ($0.trapping, $0.traps) }
        if let failure {
            if options.isTerse {
                print("failed \(failure.seed) \(failure.violations.first?.promise.rawValue ?? "")")
            } else {
                print("Seed \(failure.seed) broke its promises:")
                for violation in failure.violations.prefix(12) { print("  \(violation)") }
                print("Replay it with: Tests/run simulate --trace \(failure.seed)")
            }
            return false
        }
        // So many seeds that each of these happens: a simulation that meets no trouble shows nothing.
        let expected = done >= 8000 ? ClusterCounts.all + ClusterCounts.rare : done >= 500 ? ClusterCounts.all : []
        if let absent = expected.first(where: { counts[keyPath: $0.path] == 0 }) {
            print(options.isTerse ? "failed" : "In \(done) seeds there was not one: \(absent.name).")
            return false
        }
        let speed = String(format: "%.0f", Double(done) / seconds)
        if options.isTerse {
            print("passed \(done)")
        } else {
            let time = String(format: "%.1f", seconds)
            print(
                "\(done) seeds from \(options.from) in \(time) s: \(speed) seeds/s, \(steps / Int(max(1, done))) steps each."
            )
            let kinds = (ClusterCounts.all + ClusterCounts.rare).map { "\(counts[keyPath: $0.path]) \($0.name)" }
                .joined(separator: ", ")
            print("\(clusters) of them with several coordinators: \(kinds).")
            print("Readers got \(past.read) models of the past; \(past.refused) were not kept any more.")
            let places = traps.sorted { $0.key < $1.key }.map { "\($0.value) in \($0.key)" }.joined(separator: ", ")
            print("In \(trapping) the program trapped: \(places).")
        }
        return true
    }

    private func work(_ thread: Int) {
        while let seed = nextSeed() {
            TrapReport.begins(seed, thread: thread)
            let run = BankRun(seed: seed)
            let violations = run.run() + LimitWorld.violations(seed: seed) + ClearingRun.violations(seed: seed)
            state.withLock { state in
                state.done += 1
                state.steps += run.world.steps
                if BankRun.isCluster(seed) { state.clusters += 1 }
                state.counts += run.simulation.clusterCounts
                state.pastModels.read += run.simulation.pastModels.read
                state.pastModels.refused += run.simulation.pastModels.refused
                let traps = run.simulation.trapCounts
                state.traps.merge(traps, uniquingKeysWith: +)
                if !traps.isEmpty { state.trapping += 1 }
                // Of several that fail at a time the first: the same one every time.
                if options.goesOn, let first = violations.first { print("Seed \(seed): \(first)"); fflush(nil) }
                if !violations.isEmpty, seed < state.failure?.seed ?? .max { state.failure = (seed, violations) }
            }
        }
    }

    private func nextSeed() -> UInt64? {
        state.withLock { state in
            guard state.failure == nil || options.goesOn, state.next < options.from + options.seeds else { return nil }
            state.next += 1
            return state.next - 1
        }
    }
}
