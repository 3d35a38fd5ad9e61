import Foundation

// Journals in PostgreSQL.
extension Programs {
    /// Runs a PostgreSQL on the disk of the build, on this host or on the host `db` of these.
    func withPostgreSQL<Result>(on hosts: Hosts? = nil, _ body: (PostgreSQLPlace) throws -> Result) throws -> Result {
        let server = try PostgreSQLPlace(in: folder, port: freePort(), hosts: hosts)
        defer { server.remove() }
        return try body(server)
    }

    /// Runs two coordinators, `a` and `b`, of one journal and a worker.
    func withCluster<Result>(on hosts: Hosts? = nil, _ body: (Cluster) throws -> Result) throws -> Result {
        try withPostgreSQL(on: hosts) { server in
            let journal = "\(server.database)?schema=\(server.schema())"
            try initJournal(journal, on: hosts)
            let place = try ClusterPlace(self, hosts: hosts)
            defer { place.remove() }
            let cluster = try Cluster(self, in: place, journal: journal)
            defer { cluster.remove() }
            return try body(cluster)
        }
    }

    /// Makes a journal in PostgreSQL.
    func initJournal(_ url: String, on hosts: Hosts? = nil) throws {
        _ = try output(of: start("mobius", ["journal", "init", url], on: hosts?.on("db") ?? []))
    }

    /// Makes a journal in PostgreSQL that has several shards.
    func initCluster(_ url: String, shards: Int, on hosts: Hosts) throws {
        _ = try output(of: start("mobius", ["cluster", "init", url, "--shards", "\(shards)"], on: hosts.on("db")))
    }

    /// Runs a coordinator on each of these hosts, as many as shards, and a worker, once two loops keep effects outstanding.
    ///
    /// - Parameter body: Called with the numbers of the processes.
    func withShards<Result>(
        _ names: [String], on hosts: Hosts, journal: String, _ body: ([Int32]) throws -> Result
    ) throws -> Result {
        let place = try ClusterPlace(self, hosts: hosts)
        var processes: [WatchedProcess] = []
        defer {
            for process in processes { process.kill() }
            place.remove()
        }
        for name in names {
            processes.append(
                try place.coordinator(name, self, journal: journal, window: 500, clients: place.clientDoor(name)))
        }
        processes.append(try place.worker(of: names, self, concurrency: 1000))
        for coordinator in processes.dropLast() {
            try coordinator.wait("it runs a shard", for: 60) { $0.contains { $0.isLog("runs the loops") } }
        }
        // It is in the other half of the slices than `main`, which keeps effects outstanding by itself.
        let event = "{\"started\":{\"total\":1000000000000,\"window\":500}}"
        let arguments = ["--loop", "south", "--new", "--key", "1", event, "--connect", place.clientDoor(names[0])]
        // On a host of the cluster: the coordinator may name another one's address.
        _ = try output(
            of: start("mobius", ["send"] + arguments + place.clientOptions, on: hosts.on("worker")))
        return try body(processes.map(\.pid))
    }

    /// Makes commits of this shape with libpq alone.
    func postgreSQLFloor(
        _ server: PostgreSQLPlace, effects: Int, _ shape: PostgreSQLBenchmark.Shape
    ) throws -> EffectLine {
        let schema = server.schema()
        try initJournal("\(server.database)?schema=\(schema)")
        let arguments =
            [server.database, schema] + [effects, shape.commits, shape.rows, shape.bytes].map { "\($0)" }
        let text = try output(of: start("postgresql-floor", arguments))
        return try JSONDecoder().decode(EffectLine.self, from: Data(text.utf8))
    }

    /// Gives the port of a link to another one, which delays all bytes in both directions.
    func withSlowLink<Result>(
        to port: UInt16, microseconds: Int, _ body: (String) throws -> Result
    ) throws -> Result {
        let input = Pipe()
        let link = try start("slow-link", ["\(port)", "\(microseconds)"], input: input)
        defer {
            try? input.fileHandleForWriting.close()
            link.process.waitUntilExit()
        }
        let said = String(decoding: link.output.fileHandleForReading.availableData, as: UTF8.self)
        return try body(said.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
