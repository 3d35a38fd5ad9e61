import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A PostgreSQL of the tests' own: its data in a folder that is gone with the last reference, at a port on loopback.
///
/// Where the tests run as root, it runs as the user `postgres` or `nobody`, because it refuses root.
public final class PostgreSQLServer: Sendable {
    /// The folder of its programs; `nil` when it is not installed.
    public static let programs: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let newest = versions.compactMap { Int($0) }.sorted().last.map { "\(root)/\($0)/bin" }
        return newest.flatMap { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") ? $0 : nil }
    }()

    /// Whether tests that need it run: where it is installed.
    public static let isTested = programs != nil

    /// Why they do not.
    public static let reason = "PostgreSQL is not installed: run Deploy/setup --tests"

    /// One server for all tests that do no harm to it.
    public static func shared() async throws -> PostgreSQLServer {
        try await sharing.value
    }

    private static let sharing = Task { try await PostgreSQLServer() }

    /// Its port.
    public let port: Int
    private let address: String
    private let wrapper: [String]
    private let options: [String]
    private let folder: TestFolder
    private let data: String
    private let state = Mutex<(process: TestProcess?, schemas: Int)>((nil, 0))

    /// Makes a database and starts the server.
    ///
    /// - Parameters:
    ///   - address: Where it listens.
    ///   - wrapper: A command that runs it, and `psql`, on another host: see ``Hosts/on(_:)``.
    ///   - options: Settings such as `fsync=off`.
    ///   - tables: The folder of its tables, where it is not on the disk of the tests; its log is there in any case.
    public convenience init(
        at address: String = "127.0.0.1", on wrapper: [String] = [], options: [String] = [], tables: String? = nil
    ) async throws {
        try self.init(at: address, on: wrapper, options: options, data: tables.map { "\($0)/data" })
        if let tables, let user = Self.user { chown(tables, user.uid, user.gid) }
        try await Self.run(
            "initdb",
            [
                "-D", data, "-U", "mobius", "-A", "trust", "-E", "UTF8", "--no-sync", "--waldir", folder.file("log"),
            ], on: wrapper)
        if address != "127.0.0.1" {
            let hosts = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(data)/pg_hba.conf"))
            try hosts.seekToEnd()
            try hosts.write(contentsOf: Data("host all all 10.77.0.0/24 trust\n".utf8))
            try hosts.close()
        }
        try await start()
    }

    private init(at address: String, on wrapper: [String], options: [String], data: String?) throws {
        folder = try TestFolder()
        self.data = data ?? folder.file("data")
        port = address == "127.0.0.1" ? try Self.freePort() : 5432
        self.address = address
        self.wrapper = wrapper
        self.options = options
        if let user = Self.user { chown(folder.path, user.uid, user.gid) }
    }

    /// Starts a replica of it, of this name.
    public func replica(_ name: String) async throws -> PostgreSQLServer {
        let replica = try PostgreSQLServer(at: address, on: wrapper, options: options, data: nil)
        let source = "host=\(address) port=\(port) user=mobius application_name=\(name)"
        try await Self.run(
            "pg_basebackup",
            ["-D", replica.data, "-d", source, "--checkpoint=fast", "--write-recovery-conf", "--no-sync"])
        try await replica.start()
        return replica
    }

    /// Makes a primary of a replica.
    public func promote() async throws {
        try await eventually("the replica is a primary") { try await sql("SELECT pg_promote()") == "t" }
    }

    /// Starts it again, after ``kill()``, and waits until it accepts connections.
    public func start() async throws {
        let arguments =
            [
                "-D", data, "-p", "\(port)", "-c", "listen_addresses=\(address)", "-c",
                "unix_socket_directories=", "-c", "max_connections=60", "-c", "shared_buffers=16MB",
            ] + options.flatMap { ["-c", $0] }
        // After SIGKILL its children take a moment to go, and until then it refuses to start.
        try await eventually("PostgreSQL accepts connections") { [self] in
            let running = state.withLock { $0.process }
            var hasEnded = running == nil
            if let running { hasEnded = (try? await running.end(within: .milliseconds(1))) != nil }
            if hasEnded {
                let process = try Self.process("postgres", arguments, on: wrapper)
                state.withLock { $0.process = process }
            }
            return try await sql("SELECT 1") == "1"
        }
    }

    /// Ends it with SIGKILL, like the kernel without memory: its children end as soon as they notice.
    public func kill() async throws {
        let process = state.withLock { state in
            defer { state.process = nil }
            return state.process
        }
        // What was started is tied by another process, so the server's own file names it.
        let file = (try? String(contentsOfFile: "\(data)/postmaster.pid", encoding: .utf8)) ?? ""
        if let pid = file.split(separator: "\n").first.flatMap({ Int32($0) }) { _ = Foundation.kill(pid, SIGKILL) }
        try await process?.kill()
    }

    /// A URL of a schema that no other test has.
    ///
    /// - Parameter replica: Takes its place, as its clients are to know.
    public func url(or replica: PostgreSQLServer? = nil) -> String {
        let number = state.withLock { state in
            state.schemas += 1
            return state.schemas
        }
        let other = replica.map { ",\($0.address):\($0.port)" } ?? ""
        let choice = replica == nil ? "" : "target_session_attrs=read-write&"
        return "postgresql://mobius@\(address):\(port)\(other)/postgres?\(choice)schema=test_\(number)"
    }

    /// Runs SQL with `psql`, in the schema of `url` if there is one, and returns what it prints.
    @discardableResult
    public func sql(_ sql: String, at url: String? = nil) async throws -> String {
        let schema = url?.split(separator: "=").last.map { "SET search_path TO \($0);" } ?? ""
        let output = try await Self.run(
            "psql",
            [
                "-h", address, "-p", "\(port)", "-U", "mobius", "-d", "postgres", "-X", "-q", "-A", "-t", "-v",
                "ON_ERROR_STOP=1", "-c", schema + sql,
            ], on: wrapper)
        return output.joined(separator: "\n")
    }

    // MARK: Programs

    private static let user: (name: String, uid: uid_t, gid: gid_t)? = {
        guard getuid() == 0 else { return nil }
        for name in ["postgres", "nobody"] {
            if let entry = getpwnam(name) { return (name, entry.pointee.pw_uid, entry.pointee.pw_gid) }
        }
        return nil
    }()

    private static func process(
        _ program: String, _ arguments: [String], on wrapper: [String] = [], input: TestProcess.Input = .none
    ) throws -> TestProcess {
        guard let programs else { throw MissingPostgreSQL() }
        let environment = ["LC_ALL": "C.UTF-8", "PGTZ": "UTC"]
        guard let user else {
            let all = wrapper + ["\(programs)/\(program)"] + arguments
            return try TestProcess(all[0], Array(all.dropFirst()), environment: environment, input: input)
        }
        // The kernel forgets at the change of the user that the server is to end with this process.
        let all =
            wrapper + [
                "/usr/bin/setpriv", "--reuid", "\(user.uid)", "--regid", "\(user.gid)", "--clear-groups", "--pdeathsig",
                "KILL", "\(programs)/\(program)",
            ] + arguments
        return try TestProcess(all[0], Array(all.dropFirst()), environment: environment, in: "/", input: input)
    }

    @discardableResult
    private static func run(
        _ program: String, _ arguments: [String], on wrapper: [String] = []
    ) async throws -> [String] {
        let process = try process(program, arguments, on: wrapper)
        guard try await process.end() == .exited(0) else {
            throw FailedProgram(name: program, words: process.errors.elements)
        }
        return process.output.elements
    }

    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let outcome = withUnsafeMutableBytes(of: &address) { bytes in
            let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            guard let address, bind(descriptor, address, length) == 0 else { return Int32(-1) }
            return getsockname(descriptor, address, &length)
        }
        guard outcome == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRINUSE) }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

/// PostgreSQL is not there.
struct MissingPostgreSQL: Error, CustomStringConvertible {
    var description: String { PostgreSQLServer.reason }
}

/// A program of PostgreSQL did not do what it should.
struct FailedProgram: Error, CustomStringConvertible {
    let name: String
    let words: [String]
    var description: String { "\(name): \(words.joined(separator: " "))" }
}

// MARK: - Locks and deaths

extension PostgreSQLServer {
    /// A session that locks a table against writers until its input ends.
    public func blocker(_ table: String, at url: String) async throws -> TestProcess {
        try await session("BEGIN; LOCK TABLE \(table) IN EXCLUSIVE MODE;", at: url)
    }

    /// A session in the schema of `url` that has run `sql`, and goes on until its input ends.
    public func session(_ sql: String, at url: String) async throws -> TestProcess {
        let schema = url.split(separator: "=").last.map(String.init) ?? "public"
        let session = try Self.process(
            "psql", ["-h", address, "-p", "\(port)", "-U", "mobius", "-d", "postgres", "-X", "-q", "-A", "-t"],
            on: wrapper, input: .pipe)
        try session.type("SET search_path TO \(schema); \(sql) SELECT 'it', 'has';\n")
        try await session.output.wait(for: "the session's statements") { $0.contains("it|has") }
        return session
    }

    /// Waits until a process of the server waits for a lock.
    public func waits(_ backend: Int32) async throws {
        try await eventually("process \(backend) waits for a lock") {
            try await sql("SELECT wait_event_type FROM pg_stat_activity WHERE pid = \(backend)") == "Lock"
        }
    }

    /// Stops a process of the server with SIGSTOP, like a host that hangs.
    public func stop(_ process: Int32) { _ = Foundation.kill(process, SIGSTOP) }

    /// Lets it go on.
    public func go(on process: Int32) { _ = Foundation.kill(process, SIGCONT) }

    /// Ends one process of the server with SIGKILL, whereupon the server ends all others and recovers.
    public func kill(backend: Int32) {
        _ = Foundation.kill(backend, SIGKILL)
    }
}
