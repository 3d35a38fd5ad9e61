import Foundation

/// Where the processes of a cluster are and how they find each other: on this host, or each on one of its own.
struct ClusterPlace {
    /// Where they run; its name is short, as the paths of sockets must be.
    let folder: URL
    private let hosts: Hosts?
    private var keys: String { folder.appending(path: "keys").path }

    /// Makes the folder, and keys where there are hosts.
    ///
    /// - Parameter hosts: Have the names of the coordinators, and `worker`.
    init(_ programs: Programs, hosts: Hosts?) throws {
        self.hosts = hosts
        folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UInt16.random(in: 0...UInt16.max))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard hosts != nil else { return }
        do {
            for role in [["work", "--worker", "*"], ["ops", "--client", "send"]] {
                _ = try programs.output(of: programs.start("mobius", ["keys", "new"] + role + ["--keys", keys]))
            }
        } catch {
            remove()
            throw error
        }
    }

    /// Removes the folder.
    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Starts a coordinator that keeps so many effects outstanding for ever.
    func coordinator(
        _ name: String, _ programs: Programs, journal: String, window: Int, clients: String = "none"
    ) throws -> WatchedProcess {
        var options = ["--bind", door(name), "--client-bind", clients, "--journal", journal]
        if let hosts { options += ["--advertise", hosts.address(name), "--keys", keys] }
        return try WatchedProcess(
            programs.folder.appending(path: "effect-coordinator"),
            options + ["--window", "\(window)", "--endless", "--log-level", "info"], in: folder, on: wrapper(name))
    }

    /// Starts a worker of these coordinators.
    func worker(
        of coordinators: [String], _ programs: Programs, concurrency: Int, environment: [String: String] = [:]
    ) throws -> WatchedProcess {
        let doors = coordinators.map { door($0) }.joined(separator: ",")
        var options = ["--connect", doors]
        if hosts != nil { options += ["--key", "\(keys)/work.key"] }
        return try WatchedProcess(
            programs.folder.appending(path: "effect-worker"),
            options + ["--concurrency", "\(concurrency)", "--drain-timeout", "1", "--log-level", "info"],
            environment: environment, in: folder, on: wrapper("worker"))
    }

    /// Where a client on this host reaches a coordinator: by the disk that all share.
    func clientDoor(_ name: String) -> String { "ipc://\(folder.appending(path: "\(name)-client").path)" }

    /// The options of a client.
    var clientOptions: [String] { hosts == nil ? [] : ["--key-file", "\(keys)/ops.key"] }

    /// Cuts a coordinator off from the others, the worker and the database; nobody is told.
    func cut(_ name: String) throws { try hosts?.cut(name) }

    /// Ends that.
    func mend(_ name: String) throws { try hosts?.mend(name) }

    private func door(_ name: String) -> String {
        hosts.map { "tcp://\($0.address(name)):5701" } ?? "ipc://\(folder.appending(path: name).path)"
    }

    private func wrapper(_ name: String) -> [String] { hosts?.on(name) ?? [] }
}
