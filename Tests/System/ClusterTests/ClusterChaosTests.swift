#if PostgreSQL
    import Bank
    import BankFleet
    import FleetTestSupport
    import Foundation
    import MobiusEngine
    import TestTraits
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// Three coordinators, two workers and a database on hosts of their own, to which everything happens that may.
    ///
    /// `CLUSTER_CHAOS_MINUTES` says for how long, a third of a minute by default; `CLUSTER_CHAOS_SEED` draws the same faults again.
    @Suite(
        "Chaos in a cluster",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)),
        .enabled(if: Hosts.isTested, "this user may not make network namespaces, which stand for the hosts"),
        .patience(minutes: 60))
    struct ClusterChaosTests {
        private static func number(_ name: String) -> Double? {
            ProcessInfo.processInfo.environment[name].flatMap(Double.init)
        }

        private static let coordinators = ["a", "b", "c"]
        private static let workers = ["east", "west"]
        private let hosts: Hosts
        private let server: PostgreSQLServer
        private let cluster: BankCluster

        init() async throws {
            hosts = try await Hosts("db", "a", "b", "c", "east", "west")
            server = try await PostgreSQLServer(at: hosts.address("db"), on: hosts.on("db"))
            let bank = try BankProcesses()
            cluster = try await BankCluster(
                of: Self.coordinators, server: server, bank: bank, place: try await .hosts(hosts, bank),
                initialising: hosts.on("a"), shards: 3)
        }

        /// What happens; each ends before the next begins.
        private enum Fault: CaseIterable {
            case killCoordinator, stopCoordinator, suspendCoordinator, killWorker, cutCoordinator, cutWorker
            case forsakeDatabase, forsakeWorker, killDatabase, endBackends, slowDatabase, split, move, drain
        }

        @Test("kills, stops, suspensions, cuts, splits and moves: nothing is lost or doubled, and all goes on")
        func chaos() async throws {
            let seed = UInt64(Self.number("CLUSTER_CHAOS_SEED") ?? Double(UInt32.random(in: 0...UInt32.max)))
            var chance = SplitMix64(seed: seed)
            let end = ContinuousClock.now + .seconds(60) * (Self.number("CLUSTER_CHAOS_MINUTES") ?? 1.0 / 3)
            let bank = try ShardedBank(cluster, branches: 6)
            var processes: [String: TestProcess] = [:]
            for name in Self.coordinators { processes[name] = try coordinator(name) }
            for name in Self.workers { processes[name] = try cluster.worker(name, on: name) }
            try await bank.shared(1, 1, 1)
            try await bank.open()
            var done: [String] = []
            do {
                while ContinuousClock.now < end {
                    async let work: Void = bank.work(1)
                    let fault = Fault.allCases.randomElement(using: &chance) ?? .move
                    let victim = Self.coordinators.randomElement(using: &chance) ?? ""
                    done.append("\(fault) \(victim)")
                    try await happen(fault, to: victim, &processes, &chance)
                    try await work
                    try await restart(&processes)
                }
                #expect(try await bank.complaints() == [])
                try await restart(&processes)
            } catch {
                let logs = processes.map { "\($0): \(Self.log($1))" }
                Issue.record("seed \(seed): \(done.suffix(5)): \(error)\n\(logs.joined(separator: "\n"))")
            }
            print("chaos: seed \(seed), \(done.count) faults")
        }

        private func happen(
            _ fault: Fault, to victim: String, _ processes: inout [String: TestProcess], _ chance: inout SplitMix64
        ) async throws {
            let worker = Self.workers.randomElement(using: &chance) ?? ""
            // From within the time of a renewal to well beyond the lease's.
            let time = Duration.milliseconds(Int.random(in: 100...3000, using: &chance))
            switch fault {
            case .killCoordinator, .stopCoordinator:
                processes[victim]?.signal(fault == .stopCoordinator ? SIGTERM : SIGKILL)
                try await processes[victim]?.end()
                processes[victim] = try coordinator(victim)
            case .suspendCoordinator:
                processes[victim]?.signal(SIGSTOP)
                try await pass(time)
                processes[victim]?.signal(SIGCONT)
            case .killWorker:
                processes[worker]?.signal(SIGKILL)
                try await processes[worker]?.end()
                processes[worker] = try cluster.worker(worker, on: worker)
            case .cutCoordinator, .cutWorker:
                let host = fault == .cutWorker ? worker : victim
                try await hosts.cut(host)
                try await pass(time)
                try await hosts.mend(host)
            case .forsakeDatabase, .forsakeWorker:
                let (from, to) = fault == .forsakeDatabase ? ("db", victim) : (victim, worker)
                try hosts.forsake(from, to)
                try await pass(time)
                try hosts.regain(from, to)
            case .killDatabase:
                try await server.kill()
                try await server.start()
            case .endBackends:
                try await server.sql("SELECT count(pg_terminate_backend(backend)) FROM shards", at: cluster.url)
            case .slowDatabase:
                try await hosts.delay("db", milliseconds: 25)
                try await pass(time)
                try await hosts.delay("db", milliseconds: 0)
            case .split:
                let count = Int(try await server.sql("SELECT count(*) FROM shards", at: cluster.url)) ?? 0
                if count < 6 {
                    try await cluster.cluster("split", "\(Int.random(in: 0..<max(1, count), using: &chance))")
                }
            case .move:
                let name = processes[victim].map { "\(ProcessInfo.processInfo.hostName):\($0.pid)" } ?? ""
                try await cluster.cluster("move", "\(Int.random(in: 0..<3, using: &chance))", name)
            case .drain:
                let name = processes[victim].map { "\(ProcessInfo.processInfo.hostName):\($0.pid)" } ?? ""
                try await cluster.cluster("drain", name)
                try await pass(time)
                try await cluster.cluster("drain", name, "--undo")
            }
        }

        private func coordinator(_ name: String) throws -> TestProcess {
            try cluster.coordinator(name, ["--lease", "1s"])
        }

        /// Starts coordinators again whose database did not answer when they started; nothing else may have ended.
        private func restart(_ processes: inout [String: TestProcess]) async throws {
            for (name, process) in processes where process.isGone {
                let end = try await process.end()
                let reasons = ["PostgreSQL cannot be reached", "was lost"]
                let foundNone =
                    end == .exited(75) && process.logged("listening") == 0
                    && reasons.contains { process.logged($0) > 0 }
                guard Self.coordinators.contains(name), foundNone else {
                    Issue.record("\(name) ended: \(end)\n\(Self.log(process))")
                    continue
                }
                processes[name] = try coordinator(name)
            }
        }

        private static func log(_ process: TestProcess) -> String {
            process.errors.elements.suffix(15).joined(separator: "\n")
        }

        private func pass(_ time: Duration) async throws {
            let end = ContinuousClock.now + time
            try await eventually("\(time) have passed") { ContinuousClock.now >= end }
        }
    }
#endif
