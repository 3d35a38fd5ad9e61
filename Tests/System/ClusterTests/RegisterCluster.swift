import FleetTestSupport
import Foundation
import MobiusClient
import MobiusWire
import Testing

/// Coordinators of `register-coordinator`, or of another program, that share a journal of four shards in PostgreSQL.
struct RegisterCluster: Sendable {
    /// As the program of `register-coordinator` codes them.
    enum Event: Codable, Sendable {
        case write(Int)
        case insert(Int)
        case roll
        case pass(Int, to: String)
    }
    struct Model: Codable {
        var value: Int
        var members: Set<Int>
    }

    private let folder: TestFolder
    private let program: String
    let url: String

    init(_ program: String = "register-coordinator") async throws {
        self.program = program
        folder = try TestFolder()
        url = try await PostgreSQLServer.shared().url()
        let made = try await TestProcess("mobius", ["cluster", "init", url, "--shards", "4"]).end()
        try #require(made == .exited(0))
    }

    func coordinator(
        _ name: String, lease: String, environment: [String: String] = [:]
    ) throws -> TestProcess {
        try TestProcess(
            program,
            ["--journal", url, "--bind", "ipc://\(folder.file(name))", "--client-bind", door(name), "--lease", lease],
            environment: environment, in: folder.path)
    }

    /// Another customer, who knows the doors of these coordinators.
    func client(of names: String...) -> FleetClient { FleetClient(connect: names.map(door).joined(separator: ",")) }

    /// The doors of these coordinators, as clients take them.
    func doors(_ names: String...) -> String { names.map(door).joined(separator: ",") }

    /// Waits until each of these coordinators runs some shard.
    static func run(_ coordinators: [TestProcess]) async throws {
        for coordinator in coordinators { try await coordinator.log("runs the loops") }
    }

    /// Inserts the number, which is also the key, as ``send(_:key:to:by:)`` does.
    @discardableResult
    static func insert(_ number: Int, into loop: LoopID, by client: FleetClient) async throws -> Bool {
        try await send(.insert(number), key: "\(number)", to: loop, by: client)
    }

    /// Sends an event until it is confirmed, and returns `true`; or until the loop is held.
    @discardableResult
    static func send(_ event: Event, key: String, to loop: LoopID, by client: FleetClient) async throws -> Bool {
        let answers = Journey<Bool>()
        try await eventually("\(key) is in \(loop), or that is held") {
            do {
                _ = try await client.send(event, loop: loop, key: key, timeout: .seconds(5))
                answers.add(true)
            } catch let error as FleetClientError where error.message.contains("is held") {
                answers.add(false)
            }
            return true
        }
        return answers.elements == [true]
    }

    /// A loop's newest model, and its number.
    static func model(of loop: LoopID, by client: FleetClient) async throws -> (model: Model, sequence: UInt64) {
        let read = try await client.model(of: loop, timeout: .seconds(5))
        return (try JSONDecoder().decode(Model.self, from: Data(read.payload.bytes)), read.version.sequence)
    }

    private func door(_ name: String) -> String { "ipc://\(folder.file(name))-client" }
}
