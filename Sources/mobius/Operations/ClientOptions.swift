public import ArgumentParser
public import MobiusClient
import MobiusCommand

/// The options of commands that talk to a running coordinator.
struct ClientOptions: ParsableArguments {
    @Option(
        name: .customLong("connect"),
        help: ArgumentHelp(
            "The coordinator's endpoint for clients (default: MOBIUS_CONNECT_CLIENT, or \(FleetClient.defaultEndpoint)).",
            valueName: "endpoint"))
    var commandLineConnect: String?

    @Option(help: ArgumentHelp("How long to wait for an answer.", valueName: "time"))
    var timeout = DurationArgument(.seconds(10))

    /// What `--help` of each such command says about its exit codes.
    static let exitCodes = """
        1 when the coordinator refuses or there is no such thing; 64 wrong usage; 69 no coordinator answers there; \
        75 the coordinator has too much to do or does not answer in time, so nobody knows whether it was done: try again.
        """

    /// Runs with a client, which is closed afterwards; what goes wrong becomes a sentence and an exit code.
    func withClient(_ body: (FleetClient) async throws -> Void) async throws {
        try await FleetExit.reporting {
            let endpoint = try FleetEnvironment.value(
                commandLineConnect, "MOBIUS_CONNECT_CLIENT", default: FleetClient.defaultEndpoint)
            let client = FleetClient(connect: endpoint, timeout: timeout.duration)
            do {
                try await body(client)
            } catch let error as FleetClientError {
                await client.close()
                throw FleetExit(error.exitCode, Printable.line(error.message))  // it may hold the coordinator's words
            }
            await client.close()
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
