import Foundation

// Journals in PostgreSQL.
extension Programs {
    /// Runs a PostgreSQL beside the programs, on the disk of the build.
    func withPostgreSQL<Result>(_ body: (PostgreSQLPlace) throws -> Result) throws -> Result {
        let server = try PostgreSQLPlace(in: folder, port: freePort())
        defer { server.remove() }
        return try body(server)
    }

    /// Runs two coordinators of one journal and a worker.
    func withCluster<Result>(_ body: (Cluster) throws -> Result) throws -> Result {
        try withPostgreSQL { server in
            let journal = "\(server.database)?schema=\(server.schema())"
            try initJournal(journal)
            let cluster = try Cluster(programs: folder, journal: journal)
            defer { cluster.remove() }
            return try body(cluster)
        }
    }

    /// Makes a journal in PostgreSQL.
    func initJournal(_ url: String) throws { _ = try output(of: start("mobius", ["journal", "init", url])) }

    /// Makes a journal in PostgreSQL that has several shards.
    func initCluster(_ url: String, shards: Int) throws {
        _ = try output(of: start("mobius", ["cluster", "init", url, "--shards", "\(shards)"]))
    }

    /// Runs as many coordinators as shards and one worker, once each has a shard and two loops keep effects outstanding.
    ///
    /// - Parameter body: Called with the numbers of the processes.
    func withShards<Result>(_ shards: Int, journal: String, _ body: ([Int32]) throws -> Result) throws -> Result {
        let place = FileManager.default.temporaryDirectory.appending(
            path: "shards-\(UInt16.random(in: 0...UInt16.max))")
        try FileManager.default.createDirectory(
            at: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var processes: [WatchedProcess] = []
        defer {
            for process in processes { process.kill() }
            try? FileManager.default.removeItem(at: place)
        }
        func door(_ name: String) -> String { "ipc://\(place.appending(path: name).path)" }
        for number in 0..<shards {
            processes.append(
                try WatchedProcess(
                    folder.appending(path: "effect-coordinator"),
                    [
                        "--bind", door("w\(number)"), "--client-bind", door("c\(number)"), "--journal", journal,
                        "--window", "500", "--endless", "--log-level", "info",
                    ], in: place))
        }
        let doors = (0..<shards).map { door("w\($0)") }.joined(separator: ",")
        let worker = try WatchedProcess(
            folder.appending(path: "effect-worker"),
            ["--connect", doors, "--concurrency", "1000", "--drain-timeout", "1", "--log-level", "error"], in: place)
        for coordinator in processes {
            try coordinator.wait("it runs a shard", for: 60) { $0.contains { $0.isLog("runs the loops") } }
        }
        processes.append(worker)
        // It is in the other half of the slices than `main`, which keeps effects outstanding by itself.
        let event = "{\"started\":{\"total\":1000000000000,\"window\":500}}"
        _ = try output(
            of: start("mobius", ["send", "--loop", "south", "--new", "--key", "1", event, "--connect", door("c0")]))
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
