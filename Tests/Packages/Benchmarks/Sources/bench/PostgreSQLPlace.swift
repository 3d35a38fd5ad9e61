import Foundation

/// A PostgreSQL of the benchmark's own, with its data on the disk of the build: `synchronous_commit` and `fsync` are on.
final class PostgreSQLPlace {
    private static let programs: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.compactMap { Int($0) }.sorted().last.map { "\(root)/\($0)/bin" }
    }()

    /// Whether there is one to run: without it, its benchmarks are left out.
    static var isInstalled: Bool { programs != nil }

    let port: UInt16
    private let address: String
    private let wrapper: [String]
    private let folder: URL
    private let server: Process
    private var replica: Process?
    private var schemas = 0

    /// Makes the data folder in `parent` and starts the server.
    ///
    /// - Parameter hosts: Where it is on the host `db`.
    init(in parent: URL, port: UInt16, hosts: Hosts? = nil) throws {
        guard let programs = Self.programs else {
            throw BenchError("PostgreSQL is not installed: run Deploy/setup --tests.")
        }
        self.port = port
        address = hosts?.address("db") ?? "127.0.0.1"
        wrapper = hosts?.on("db") ?? []
        folder = parent.appending(path: "postgresql-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if let user = Self.user { chown(folder.path, user.uid, user.gid) }
        let data = folder.appending(path: "data").path
        _ = try Self.run("\(programs)/initdb", ["-D", data, "-U", "mobius", "-A", "trust", "-E", "UTF8"])
        if hosts != nil {
            let allowed = try FileHandle(forWritingTo: URL(filePath: "\(data)/pg_hba.conf"))
            try allowed.seekToEnd()
            try allowed.write(contentsOf: Data("host all all samenet trust\n".utf8))
            try allowed.close()
        }
        server = try Self.serve(data, programs, address, port, on: wrapper)
        let end = ContinuousClock.now + .seconds(30)
        while (try? sql("SELECT 1")) != "1" {
            guard ContinuousClock.now < end, server.isRunning else { throw BenchError("PostgreSQL does not start.") }
        }
    }

    private static func serve(
        _ data: String, _ programs: String, _ address: String, _ port: UInt16, on wrapper: [String]
    ) throws -> Process {
        try start(
            "\(programs)/postgres",
            [
                "-D", data, "-p", "\(port)", "-c", "listen_addresses=\(address)", "-c", "unix_socket_directories=",
                "-c",
                "logging_collector=off", "-c", "log_min_messages=error",
            ], on: wrapper
        ).process
    }

    /// Gives it a replica on this machine, which has each commit on disk before it is confirmed.
    func replicate(port: UInt16) throws {
        let programs = Self.programs ?? ""
        let data = folder.appending(path: "replica").path
        _ = try Self.run(
            "\(programs)/pg_basebackup",
            [
                "-D", data, "-d", "host=\(address) port=\(self.port) user=mobius", "--checkpoint=fast",
                "--write-recovery-conf",
            ], on: wrapper)
        replica = try Self.serve(data, programs, address, port, on: wrapper)
        try sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        try sql("SELECT pg_reload_conf()")
        let end = ContinuousClock.now + .seconds(30)
        while try sql("SELECT sync_state FROM pg_stat_replication") != "sync" {
            guard ContinuousClock.now < end else { throw BenchError("The replica does not follow.") }
        }
    }

    /// Ends the server and removes its data.
    func remove() {
        for process in [server, replica].compactMap(\.self) {
            // Without waiting for connections or for the replica.
            process.interrupt()
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(at: folder)
    }

    /// The database, as libpq takes it.
    var database: String { "postgresql://mobius@\(address):\(port)/postgres" }

    /// The number of the server's first process.
    var pid: Int32 { server.processIdentifier }

    /// The name of a schema that is not there yet.
    func schema() -> String {
        schemas += 1
        return "bench_\(schemas)"
    }

    /// Runs SQL and answers what it prints.
    @discardableResult
    func sql(_ sql: String) throws -> String {
        try Self.run(
            "\(Self.programs ?? "")/psql",
            ["-d", database, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql],
            on: wrapper)
    }

    /// Runs SQL every half a second, over one connection, until `isEnough` says so of what it prints.
    func watch(_ sql: String, until isEnough: (String) -> Bool) throws {
        let (process, output) = try Self.start(
            "\(Self.programs ?? "")/psql", ["-d", database, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"],
            input: "\(sql) \\watch 0.5\n", on: wrapper)
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        let watchdog = process.terminate(after: .seconds(120))
        defer { watchdog.cancel() }
        while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
            for line in String(decoding: data, as: UTF8.self).split(separator: "\n") where Double(line) != nil {
                if isEnough(String(line)) { return }
            }
        }
        throw BenchError("\(sql) was not enough within two minutes.")
    }

    /// The number of transactions that have written.
    func transactions() throws -> Int { Int(try sql("SELECT pg_current_xact_id()")) ?? 0 }

    private static let user: (uid: uid_t, gid: gid_t)? = {
        guard getuid() == 0, let entry = getpwnam("postgres") ?? getpwnam("nobody") else { return nil }
        return (entry.pointee.pw_uid, entry.pointee.pw_gid)
    }()

    private static func start(
        _ program: String, _ arguments: [String], input: String? = nil, on wrapper: [String] = []
    ) throws -> (process: Process, output: Pipe) {
        let process = Process()
        var command = [program] + arguments
        if let user {
            let words = ["--reuid", "\(user.uid)", "--regid", "\(user.gid)", "--clear-groups"]
            command = ["/usr/bin/setpriv"] + words + command
        }
        command = wrapper + command
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = ["LC_ALL": "C.UTF-8", "PGTZ": "UTC"]
        let lines = Pipe()
        try lines.fileHandleForWriting.write(contentsOf: Data((input ?? "").utf8))
        try lines.fileHandleForWriting.close()
        process.standardInput = lines
        process.standardError = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        return (process, output)
    }

    private static func run(_ program: String, _ arguments: [String], on wrapper: [String] = []) throws -> String {
        let (process, output) = try start(program, arguments, on: wrapper)
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchError("\(program) ended with \(process.terminationStatus).")
        }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
