import Bank
import BankFleet
import FleetTestSupport
import Foundation
import MobiusClient
import Synchronization
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A bank that several coordinators share, over a journal in PostgreSQL: its processes, and a customer.
final class BankCluster: Sendable {
    /// Where the processes of a cluster are and how they find each other.
    struct Place: Sendable {
        /// The endpoint at which a coordinator is known to workers.
        var door: @Sendable (_ name: String) -> String
        /// The endpoint at which it is known to clients.
        var clientDoor: @Sendable (_ name: String) -> String
        /// The command that runs a process there.
        var on: @Sendable (_ name: String) -> [String]
        /// Further options of a coordinator.
        var options: @Sendable (_ name: String) -> [String] = { _ in [] }
        /// Further options of a worker.
        var workerOptions: [String] = []
        /// The file of the customer's key.
        var key: String?

        /// On these hosts, whose names are those of coordinators and workers, with keys.
        ///
        /// The customer is on no host, and sees the sockets on the disk that all share.
        static func hosts(_ hosts: Hosts, _ bank: BankProcesses) async throws -> Place {
            let keys = try await newKeys(bank)
            return Place(
                door: { "tcp://\(hosts.address($0)):5701" },
                clientDoor: { "ipc://\(bank.folder.file($0))-client" },
                on: { hosts.on($0) + ["/usr/bin/env", "-C", bank.folder.path] },
                options: { ["--advertise", hosts.address($0), "--keys", keys] },
                workerOptions: ["--key", "\(keys)/work.key"], key: "\(keys)/ops.key")
        }

        /// In the bank's folder, with keys.
        static func guarded(_ bank: BankProcesses) async throws -> Place {
            let (folder, keys) = (bank.folder, try await newKeys(bank))
            return Place(
                door: { "ipc://\(folder.file($0))" }, clientDoor: { "ipc://\(folder.file($0))-client" },
                on: { _ in ["/usr/bin/env", "-C", folder.path] }, options: { _ in ["--keys", keys] },
                workerOptions: ["--key", "\(keys)/work.key"], key: "\(keys)/ops.key")
        }

        /// Makes the keys of workers and of an operator; the coordinators have no rights of clients.
        private static func newKeys(_ bank: BankProcesses) async throws -> String {
            let keys = bank.folder.file("keys")
            for key in [["work", "--worker", "*"], ["ops", "--client", "send,read,models,admin"]] {
                let end = try await TestProcess("mobius", ["keys", "new"] + key + ["--keys", keys]).end()
                try #require(end == .exited(0))
            }
            return keys
        }
    }

    let bank: BankProcesses
    let server: PostgreSQLServer
    let url: String
    let names: [String]
    private let place: Place
    /// Another customer.
    let newClient: @Sendable () -> FleetClient
    let client: FleetClient
    private let wrapper: [String]
    private let confirmed = Mutex<[String]>([])

    /// Makes the journal of a cluster whose coordinators have these names; nothing runs yet.
    ///
    /// - Parameter replica: A database that may take the other's place.
    convenience init(
        _ names: String..., server: PostgreSQLServer, replica: PostgreSQLServer? = nil, bank: BankProcesses? = nil,
        place: Place? = nil, initialising wrapper: [String] = [], shards: Int = 1
    ) async throws {
        try await self.init(
            of: names, server: server, replica: replica, bank: bank, place: place, initialising: wrapper, shards: shards
        )
    }

    /// As with the names one by one.
    init(
        of names: [String], server: PostgreSQLServer, replica: PostgreSQLServer? = nil, bank: BankProcesses? = nil,
        place: Place? = nil, initialising wrapper: [String] = [], shards: Int = 1
    ) async throws {
        let bank = try bank ?? BankProcesses()
        self.names = names
        self.server = server
        self.bank = bank
        let folder = bank.folder
        let here = Place(
            door: { "ipc://\(folder.file($0))" }, clientDoor: { "ipc://\(folder.file($0))-client" },
            on: { _ in ["/usr/bin/env", "-C", folder.path] })
        self.place = place ?? here
        url = server.url(or: replica)
        let usual = self.place
        let doors = names.map { usual.clientDoor($0) }.joined(separator: ",")
        let key = try usual.key.map { try PeerKey(file: $0) }
        newClient = { FleetClient(connect: doors, key: key) }
        client = newClient()
        self.wrapper = wrapper
        let made = shards == 1 ? try await journal("init") : try await cluster("init", "--shards", "\(shards)")
        #expect(made == .exited(0))
    }

    /// The doors of all coordinators, as a worker names them.
    var doors: String { names.map { place.door($0) }.joined(separator: ",") }

    /// The doors of all coordinators, as a client names them.
    var clientDoors: String { names.map { place.clientDoor($0) }.joined(separator: ",") }

    /// Starts a coordinator of the cluster.
    func coordinator(
        _ name: String, failpoints: String? = nil, pace: Int = 1, _ options: [String] = [],
        environment: [String: String] = [:]
    ) throws -> TestProcess {
        try bank.coordinator(
            failpoints: failpoints, pace: pace, journal: url, bind: place.door(name),
            ["--client-bind", place.clientDoor(name)] + place.options(name) + options, environment: environment,
            wrapper: place.on(name))
    }

    /// Starts the coordinators of the first two names: the first runs the loops, the second stands by.
    func pair(_ options: [String] = []) async throws -> (TestProcess, TestProcess) {
        let first = try coordinator(names[0], options)
        try await owns(first)
        let second = try coordinator(names[1], options)
        try await second.log("listening")
        return (first, second)
    }

    /// Starts a worker, which knows all doors.
    func worker(_ name: String, on host: String? = nil, hold: String? = nil) throws -> TestProcess {
        try bank.worker(
            name, connect: doors, hold: hold, place.workerOptions, wrapper: host.map { place.on($0) } ?? [])
    }

    /// Waits until the coordinator runs the loops, for the `count`th time.
    func owns(_ coordinator: TestProcess, _ count: Int = 1) async throws {
        try await eventually("\(coordinator.name) runs the loops") { coordinator.logged("runs the loops") >= count }
    }

    /// The name of the process that has the lease, as the database knows it; empty without one.
    func holder() async throws -> String {
        try await server.sql("SELECT convert_from(name, 'UTF8') FROM leases WHERE until > clock_timestamp()", at: url)
    }

    /// Runs a `mobius journal` command about the journal, where that can be reached.
    func journal(_ command: String) async throws -> TestProcess.End {
        let all = wrapper + [try TestProcess.executable("mobius").path, "journal", command, url]
        return try await TestProcess(all[0], Array(all.dropFirst())).end()
    }

    /// Runs a `mobius cluster` command about the journal.
    @discardableResult
    func cluster(_ command: String, _ arguments: String...) async throws -> TestProcess.End {
        let all = wrapper + [try TestProcess.executable("mobius").path, "cluster", command, url] + arguments
        return try await TestProcess(all[0], Array(all.dropFirst())).end()
    }

    /// What a coordinator answers over HTTP.
    static func get(_ path: String, of coordinator: TestProcess) async throws -> String {
        try await coordinator.log("serving probes and metrics")
        let line = coordinator.errors.elements.last { $0.contains("serving probes and metrics") } ?? ""
        let port = line.split(separator: " ").first { $0.hasPrefix("port=") }?.dropFirst(5) ?? ""
        return try await get(path, at: "127.0.0.1:\(port)")
    }

    /// What a server answers over HTTP.
    static func get(_ path: String, at address: String) async throws -> String {
        let process = try TestProcess("/usr/bin/curl", ["--silent", "--max-time", "120", "http://\(address)\(path)"])
        try await process.end()
        return process.output.elements.joined(separator: "\n")
    }

    // MARK: - A customer

    /// Sends an event until it is confirmed.
    func send(_ event: Bank.Event, key: String) async throws {
        try await eventually("order \(key) is confirmed") {
            do {
                _ = try await self.client.send(event, key: key, timeout: .seconds(10))
            } catch let error as FleetClientError where error.code == .refusedByProgram {
                // Against the bank's rules, and on disk.
            }
            return true
        }
        confirmed.withLock { $0.append(key) }
    }

    /// Opens three accounts, of which the first has all the money.
    func openAccounts() async throws {
        for (account, balance) in [(1, 1_000_000), (2, 0), (3, 0)] {
            try await send(.accountOpened(account, balance: balance), key: "account-\(account)")
        }
    }

    /// Orders a transfer from account 1 through 2 to 3, and waits until it is confirmed.
    func transfer(_ id: String) async throws { try await send(Self.request(id), key: id) }

    /// Orders such a transfer; throws when it is refused.
    func transferOnce(_ id: String) async throws {
        _ = try await client.send(Self.request(id), key: id, timeout: .seconds(3600))
    }

    private static func request(_ id: String) -> Bank.Event {
        .transferRequested(
            Bank.TransferRequest(id: id, route: [1, 2, 3], amount: 10, wantsLetter: false, isWatched: false))
    }

    /// Orders so many transfers at once, and waits until all are confirmed.
    func transfers(_ count: Int, prefix: String) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count { group.addTask { try await self.transfer("\(prefix)\(number)") } }
            try await group.waitForAll()
        }
    }

    /// The newest model; it contains all that was confirmed before.
    func model() async throws -> Bank.Model {
        try await client.model(of: Bank.self, timeout: .seconds(10))
    }

    /// Waits until nothing is under way, and says what is wrong with the books.
    ///
    /// - Parameter server: The one that has the journal now.
    func complaints(in server: PostgreSQLServer? = nil) async throws -> [String] {
        let seen = Mutex("nothing")
        do {
            try await eventually("the end of all transfers") {
                do {
                    let status = BankStatus(of: try await self.model())
                    seen.withLock { $0 = "\(status)" }
                    return status.isIdle
                } catch {
                    seen.withLock { $0 = "\(error)" }
                    return false
                }
            }
        } catch {
            Issue.record("Not all transfers ended: \(seen.withLock { $0 })")
            throw error
        }
        #expect(try await journal("verify") == .exited(0))
        return Verdict.complaints(
            about: try await model(), journal: try await JournalAudit(server ?? self.server, url),
            ledgers: try bank.ledger(),
            confirmed: confirmed.withLock { $0 })
    }
}
