import FleetTestSupport
import MobiusProgram
import Testing

/// The trapping coordinator's effects, as a worker of another build knows them.
enum TrapEffect: Codable, PayloadEvolution {
    case trapBeside
    case unserved
    case work

    static let versions = PayloadVersions("trapper.effect", startingWith: TrapEffect.self)
}

/// Of its events, those that a worker answers with.
enum TrapEvent: Codable, PayloadEvolution {
    case trap

    static let versions = PayloadVersions("trapper.event", startingWith: TrapEvent.self)
}

/// An event that the trapping coordinator cannot read without a trap, as a client of another build knows it.
enum TrapSealed: Codable {
    struct Nothing: Codable {}

    case sealed(Nothing)
}

/// A journal, and the processes of `trapping-coordinator` that run on it one after the other.
final class Trap: Sendable {
    let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    /// Starts the next one; no backtraces, which take their time, unless they are asked for.
    ///
    /// - Parameters:
    ///   - snare: The place of the program's code that traps.
    ///   - errands: Whether other processes run the program's code for readers.
    func start(
        mended: Bool = false, backtraces: Bool = false, bind: String = "tcp://127.0.0.1:*", clients: String? = nil,
        snare: String? = nil, errands: Bool = true
    ) async throws -> TestProcess {
        var environment = ["SWIFT_BACKTRACE": backtraces ? "enable=yes,color=no" : "enable=no"]
        if mended { environment["MENDED"] = "yes" }
        environment["TRAPS"] = snare
        if !errands { environment["ERRANDS"] = "none" }
        let process = try TestProcess(
            "trapping-coordinator", [folder.file("journal"), bind] + (clients.map { [$0] } ?? []),
            environment: environment, input: .pipe)
        try await process.says("listening")
        return process
    }

    /// Starts one that traps before it listens, and waits for its end.
    func startInVain(snare: String? = nil) async throws -> TestProcess.End {
        var environment = ["SWIFT_BACKTRACE": "enable=no"]
        environment["TRAPS"] = snare
        return try await TestProcess("trapping-coordinator", [folder.file("journal")], environment: environment).end()
    }

    /// Sends an event that ends the process, and waits for that end.
    func end(_ process: TestProcess, by event: String, loop: String = "main", key: String = "poison") async throws
        -> TestProcess.End
    {
        try process.type("send \(loop) \(key) {\"\(event)\":{}}\n")
        return try await process.end()
    }
}

extension TestProcess {
    /// Waits for a line that begins so.
    func says(_ words: String) async throws {
        try await output.wait(for: "\"\(words)\"") { $0.contains { $0.hasPrefix(words) } }
    }

    /// Tells it something, and waits for a line that begins so and was not there before.
    func answers(_ command: String, _ words: String) async throws {
        let before = output.elements.count
        try type(command + "\n")
        try await output.wait(for: "\"\(words)\" after \(command)") {
            $0.dropFirst(before).contains { $0.hasPrefix(words) }
        }
    }
}
