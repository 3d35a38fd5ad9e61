import BankSimulation
import FleetTestSupport
import MobiusTestKit
import TestTraits
import Testing

/// Equal seeds give equal runs: else a failing seed could not be looked at.
@Suite(.ownThread)
struct DeterminismTests {
    @Test(arguments: [2, 24, 1126, 1127] as [UInt64])
    func equalSeedsGiveEqualTraces(seed: UInt64) {
        let first = Self.trace(seed)
        #expect(first == Self.trace(seed))
        #expect(first.count > 100)
    }

    @Test func otherSeedsGiveOtherTraces() {
        #expect(Self.trace(2) != Self.trace(3))
    }

    /// Sets and dictionaries have another order in each process: nothing may depend on that.
    @Test(arguments: [77, 79])
    func equalSeedsGiveEqualTracesInAllProcesses(seed: Int) async throws {
        let processes = try (0..<3).map { _ in try TestProcess("fleet-simulation", ["--trace", "\(seed)"]) }
        var traces: [[String]] = []
        for process in processes {
            #expect(try await process.end() == .exited(0))
            traces.append(process.output.elements)
        }
        #expect(traces[0].count > 100)
        #expect(traces[0] == traces[1])
        #expect(traces[0] == traces[2])
    }

    /// A hundred thousand seeds would not fit into memory otherwise.
    @Test(arguments: [2, 3] as [UInt64])
    func aRunIsLetGoAtItsEnd(seed: UInt64) {
        weak var world: World<FallibleBank>?
        weak var coordinator: AnyObject?
        do {
            let run = BankRun(seed: seed)
            _ = run.run()
            world = run.world
            coordinator = run.world.coordinators.first
            #expect(world != nil && coordinator != nil)
        }
        #expect(world == nil)
        #expect(coordinator == nil)
    }

    private static func trace(_ seed: UInt64) -> [String] {
        var lines: [String] = []
        let run = BankRun(seed: seed)
        run.world.onTrace = { lines.append($0) }
        _ = run.run()
        return lines
    }
}
