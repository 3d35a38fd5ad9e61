import Foundation

/// A journal of two shards with two coordinators beside one of one shard with one, on the same PostgreSQL.
///
/// Two loops, one in each half of the slices, each keep 500 effects outstanding at one worker, for a million effects. Coordinators,
/// worker and database are on hosts of their own, which share this machine: where it has two processors, these bound both, and
/// the CPU time per effect tells more than the rate.
enum ShardsBenchmark {
    static let all =
        Hosts.isPermitted
        ? [
            Benchmark(
                name: "postgresql-shards",
                summary: "effects per second of two shards, each with a coordinator; floor: one shard with one",
                rows: rows)
        ] : []

    private static func rows(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        let hosts = try Hosts(["db", "a", "b", "worker"])
        defer { hosts.remove() }
        return try programs.withPostgreSQL(on: hosts) { server in
            let pairs = try (0..<rounds).map { _ in
                (
                    floor: try run(programs, server, hosts, coordinators: ["a"]),
                    ours: try run(programs, server, hosts, coordinators: ["a", "b"])
                )
            }
            return [Row("postgresql-shards", unit: "effects/s", rounds: pairs)]
        }
    }

    /// Runs as many coordinators as shards, and times a million events.
    private static func run(
        _ programs: Programs, _ server: PostgreSQLPlace, _ hosts: Hosts, coordinators: [String]
    ) throws -> Sample {
        let schema = server.schema()
        let journal = "\(server.database)?schema=\(schema)"
        try programs.initCluster(journal, shards: coordinators.count, on: hosts)
        return try programs.withShards(coordinators, on: hosts, journal: journal) { processes in
            let pids = processes + [server.pid]
            typealias Mark = (events: Double, cpu: Double, time: ContinuousClock.Instant)
            var (first, last): (Mark?, Mark?)
            // Of each loop the number of the last event.
            let events =
                "SELECT coalesce(sum(last), 0) FROM (SELECT max(last_sequence) AS last FROM \(schema).runs "
                + "GROUP BY shard, loop) AS loops"
            try server.watch(events) { text in
                let mark = (events: Double(text) ?? 0, cpu: ProcessTime.of(pids), time: ContinuousClock.now)
                if first == nil, mark.events >= 2000 { first = mark }
                last = mark
                return mark.events - (first?.events ?? mark.events) >= 1_000_000
            }
            guard let first, let last else { throw BenchError("No effects come.") }
            let count = last.events - first.events
            return Sample(
                value: count / (first.time.duration(to: last.time) / .seconds(1)),
                cpu: (last.cpu - first.cpu) * 1e6 / count)
        }
    }
}

/// The CPU time of processes that run.
enum ProcessTime {
    /// Of these processes and those that they have started and that run, in seconds.
    static func of(_ pids: [Int32]) -> Double {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int32($0) }.reduce(0) { sum, pid in
            guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
                // The name before it may have spaces.
                let fields = stat.split(separator: ")").last?.split(separator: " "), fields.count > 12,
                let parent = Int32(fields[1]), pids.contains(pid) || pids.contains(parent)
            else { return sum }
            let ticks = (Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0)
            return sum + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
    }
}
