import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How long no effect leaves when the coordinator that runs the loops dies, hangs, is cut off, or hands them over.
///
/// Two coordinators share a journal in PostgreSQL, and one worker knows both. Ten effects are always outstanding. The time
/// begins with the fault, and ends when the worker gets the first effect of the other coordinator.
enum FailoverBenchmark {
    static let all = onOneHost + (Hosts.isPermitted ? onSeveral : [])

    private static let onOneHost = [
        Benchmark(
            name: "failover-kill", summary: "seconds without effects after SIGKILL of a coordinator that has a standby"
        ) { try kill($0, $1) },
        Benchmark(name: "failover-stop", summary: "the same after SIGSTOP, as of a host that hangs") {
            try stop($0, $1)
        },
        Benchmark(name: "failover-hand-over", summary: "the same after SIGTERM: the loops are handed over") {
            try handOver($0, $1)
        },
    ]

    private static let onSeveral = [
        Benchmark(
            name: "failover-cut",
            summary: "the same after its host is cut off from database and worker, each on a host of its own"
        ) { try cut($0, $1) }
    ]

    private static func kill(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        let gaps = try programs.withCluster { cluster in
            try (0..<rounds).map { _ in
                let gap = try cluster.fault(SIGKILL)
                try cluster.replaceOwner()
                return gap
            }
        }
        return rows("failover-kill", gaps, median: .atMost(2), worst: .atMost(3))
    }

    private static func stop(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        let gaps = try programs.withCluster { cluster in
            try (0..<rounds).map { _ in
                let gap = try cluster.fault(SIGSTOP)
                try cluster.wakeOwner()
                return gap
            }
        }
        return rows("failover-stop", gaps, worst: .atMost(9))
    }

    private static func cut(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        let hosts = try Hosts(["db", "a", "b", "worker"])
        defer { hosts.remove() }
        let gaps = try programs.withCluster(on: hosts) { cluster in
            try (0..<rounds).map { _ in
                let gap = try cluster.cutOwner()
                try cluster.replaceOwner()
                return gap
            }
        }
        return rows("failover-cut", gaps, worst: .atMost(9))
    }

    private static func handOver(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        let gaps = try programs.withCluster { cluster in
            try (0..<rounds).map { _ in
                let gap = try cluster.fault(SIGTERM)
                try cluster.replaceOwner()
                return gap
            }
        }
        return rows("failover-hand-over", gaps, worst: .atMost(0.3))
            // The old owner goes on for a moment.
            + [Row("failover-hand-over-gap-p50", unit: "s", values: gaps.map(\.sinceLast))]
    }

    private static func rows(_ name: String, _ gaps: [Cluster.Gap], median: Goal? = nil, worst: Goal) -> [Row] {
        [
            Row("\(name)-p50", unit: "s", values: gaps.map(\.sinceFault), goal: median),
            Row("\(name)-worst", unit: "s", values: [gaps.map(\.sinceFault).max() ?? 0], goal: worst),
            // What the next owner then waits for are workers that may hold effects.
            Row("\(name)-joined-p50", unit: "s", values: gaps.map(\.joined)),
        ]
    }
}
