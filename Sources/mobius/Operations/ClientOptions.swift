public import ArgumentParser
import Foundation
public import MobiusClient
import MobiusCommand
import MobiusKeys
import MobiusLauncher
import MobiusWire

/// The options of commands that talk to a running coordinator.
struct ClientOptions: ParsableArguments {
    @Option(
        name: .customLong("connect"),
        help: ArgumentHelp(
            "The coordinator's endpoint for clients (default: MOBIUS_CONNECT_CLIENT, or \(FleetClient.defaultEndpoint)).",
            valueName: "endpoint"))
    var commandLineConnect: String?

    @Option(
        name: .customLong("key-file"),
        help: ArgumentHelp(
            "The key to prove oneself with, a file that `mobius keys new` made (default: MOBIUS_KEY, or none).",
            valueName: "file"))
    var commandLineKey: String?

    @Option(
        help: ArgumentHelp(
            "Instead: the fleet of mobius up on this machine that has this name (default: MOBIUS_FLEET).",
            valueName: "name"))
    var fleet: String?

    @Option(help: ArgumentHelp("How long to wait for an answer.", valueName: "time"))
    var timeout = DurationArgument(.seconds(10))

    /// What `--help` of each such command says about its exit codes.
    static let exitCodes = """
        1 when the coordinator refuses or there is no such thing; 64 wrong usage; 69 no coordinator answers there; \
        75 the coordinator has too much to do or does not answer in time, so nobody knows whether it was done: try again; 77 the key \
        is not admitted, or lacks the right; 78 a coordinator on another host needs a key.
        """

    /// The coordinator's endpoint: what was given, or that of the fleet that was named.
    ///
    /// - Parameter findsFleet: Whether the only fleet of `mobius up` here is meant when nothing was given.
    func endpoint(findsFleet: Bool = false) throws -> String {
        if let commandLineConnect { return commandLineConnect }
        let environment = ProcessInfo.processInfo.environment
        let finder = FleetFinder(environment: environment)
        if let name = try FleetEnvironment.value(fleet, "MOBIUS_FLEET") {
            guard let clients = try finder.one(named: name).fleet.clients else {
                throw FleetExit(.unavailable, "The fleet \(name) has no endpoint for clients.")
            }
            return clients
        }
        if let given = try FleetEnvironment.value(String?.none, "MOBIUS_CONNECT_CLIENT") { return given }
        let all = findsFleet ? finder.all.compactMap(\.fleet.clients) : []
        return all.count == 1 ? all[0] : FleetClient.defaultEndpoint
    }

    /// Runs with a client, which is closed afterwards; what goes wrong becomes a sentence and an exit code.
    func withClient(
        findsFleet: Bool = false, maximumPayload: Int = Int(PayloadLimit.standard),
        _ body: (FleetClient) async throws -> Void
    ) async throws {
        try await FleetExit.reporting {
            let endpoint = try endpoint(findsFleet: findsFleet)
            let client = FleetClient(
                connect: endpoint, key: try key(for: endpoint), timeout: timeout.duration,
                maximumPayload: maximumPayload)
            do {
                try await body(client)
            } catch let error as FleetClientError {
                await client.close()
                // It may hold the coordinator's words.
                throw FleetExit(error.exitCode, TerminalText.line(error.message))
            }
            await client.close()
        }
    }
}

extension ClientOptions {
    /// The key in force, which another host's coordinator asks for.
    private func key(for endpoint: String) throws -> PeerKey? {
        let file: String? = try FleetEnvironment.value(commandLineKey, "MOBIUS_KEY")
        do throws(KeyError) {
            try Reach.check(toConnect: endpoint, hasKey: file != nil)
            guard let file else { return nil }
            return try PeerKey(file: file)
        } catch {
            throw FleetExit(.configuration, error.message)
        }
    }
}

extension FleetClientError {
    /// With what a command exits.
    var exitCode: ExitCode {
        switch code {
        case .refused, .notFound: .negativeAnswer
        case .endpoint, .invalidEvent: .usage
        case .unreachable, .protocol: .unavailable
        case .forbidden: .notPermitted
        case .timedOut, .busy: .temporaryFailure
        default: .software
        }
    }
}

extension EffectID: ExpressibleByArgument {
    /// Reads `loop/sequence/index`.
    public init?(argument: String) {
        self.init(argument)
    }
}

extension LoopID: ExpressibleByArgument {
    /// Reads a name of 1 to 128 bytes.
    public init?(argument: String) {
        self.init(argument)
    }
}
