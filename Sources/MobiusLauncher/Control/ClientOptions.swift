package import ArgumentParser
import Foundation
package import MobiusClient
package import MobiusProcess
package import MobiusTransport
package import MobiusWire

/// The options of commands that connect to a running coordinator.
package struct ClientOptions: ParsableArguments {
    /// Made by ArgumentParser.
    package init() {}

    @Option(
        name: .customLong("connect"),
        help: ArgumentHelp(
            "The coordinator's endpoint for clients, or those of several that share a journal, separated by commas "
                + "(default: MOBIUS_CONNECT_CLIENT, or the only coordinator of yours that runs here).",
            valueName: "endpoints"))
    var commandLineConnect: String?

    @Option(
        name: .customLong("key-file"),
        help: ArgumentHelp(
            "The key for authentication, a file made by `mobius keys new` (default: MOBIUS_KEY, or none).",
            valueName: "file"))
    var commandLineKey: String?

    @Option(
        help: ArgumentHelp(
            "Instead of --connect: the name of a fleet of mobius up, or of a program whose coordinator runs alone, on "
                + "this machine (default: MOBIUS_FLEET).",
            valueName: "name"))
    package var fleet: String?

    @Option(help: ArgumentHelp("How long to wait for an answer.", valueName: "time"))
    package var timeout = DurationArgument(.seconds(10))

    /// The part of each command's `--help` about exit codes.
    package static let exitCodes = """
        1 when the coordinator refuses, or the object does not exist; 64 wrong usage; 69 no coordinator answers at the \
        endpoint; 75 the coordinator is busy or does not answer in time, so the outcome is unknown: try again; 77 the \
        key is not admitted, or lacks the right; 78 a coordinator on another host needs a key.
        """

    /// The coordinator that a command is for, by the same rule in every command: the option, else the environment, else
    /// the only one of this user's that runs here.
    ///
    /// Coordinators of other users are not found. If none of this user's runs, the standard endpoint is taken, provided
    /// that something listens there.
    ///
    /// - Parameter waits: Whether the command waits for a coordinator that it is told of and that does not run yet.
    package func target(waits: Bool = false) throws -> FleetFinder.Target {
        let finder = FleetFinder(environment: ProcessInfo.processInfo.environment)
        if let commandLineConnect {
            guard
                waits
                    || EndpointRotation.endpoints(in: commandLineConnect).contains(where: {
                        LocalSocket.mayExist(at: $0)
                    })
            else {
                throw FleetExit(
                    .unavailable,
                    "There is no socket at \(commandLineConnect), so no coordinator serves clients there. "
                        + FleetFinder.list(finder.targets))
            }
            return FleetFinder.Target(endpoint: commandLineConnect)
        }
        if let fleet, let target = try finder.target(named: fleet) { return target }
        if let given = try FleetEnvironment.value(String?.none, "MOBIUS_CONNECT_CLIENT") {
            return FleetFinder.Target(endpoint: given)
        }
        let name = try FleetEnvironment.value(String?.none, "MOBIUS_FLEET")
        if let target = try finder.target(named: name) { return target }
        guard LocalPort.isListening(at: FleetClient.defaultEndpoint) else {
            throw FleetExit(
                .unavailable,
                "No coordinator of yours runs here, and nothing listens at \(FleetClient.defaultEndpoint). Start one, "
                    + "for example with mobius up FILE, or name another with --connect ENDPOINT.")
        }
        return FleetFinder.Target(endpoint: FleetClient.defaultEndpoint)
    }

    /// Runs `body` with a client and closes it afterwards; a client error becomes a message and an exit code.
    package func withClient(
        maximumPayload: Int = Int(PayloadLimit.standard), hasTerminalView: Bool = false, unmasked: Bool = false,
        window: Int = ClientMachine.window,
        _ body: (FleetClient, FleetFinder.Target) async throws -> Void
    ) async throws {
        try await FleetExit.reporting {
            let target = try target()
            let client = FleetClient(
                connect: target.endpoint, key: try key(for: target.endpoint), timeout: timeout.duration,
                maximumPayload: maximumPayload, isForPeople: !unmasked, window: window,
                logger: hasTerminalView ? CommandLog.silent : CommandLog.warnings)
            do {
                try await body(client, target)
            } catch let error as FleetClientError {
                await client.close()
                // The message may contain text from the coordinator.
                throw FleetExit(error.exitCode, TerminalText.line(error.message))
            }
            await client.close()
        }
    }
}

extension ClientOptions {
    /// The configured key; coordinators on other hosts require one.
    package func key(for endpoint: String) throws -> PeerKey? {
        let file: String? = try FleetEnvironment.value(commandLineKey, "MOBIUS_KEY")
        do throws(KeyError) {
            for endpoint in EndpointRotation.endpoints(in: endpoint) {
                try EndpointScope.check(toConnect: endpoint, hasKey: file != nil)
            }
            guard let file else { return nil }
            return try PeerKey(file: file)
        } catch {
            throw FleetExit(.configuration, error.message)
        }
    }
}

extension FleetClientError {
    /// The exit code of a command that fails with this error.
    package var exitCode: ExitCode {
        switch code {
        case .refused, .conflict, .notFound: .negativeAnswer
        case .endpoint, .invalidEvent: .usage
        case .unreachable, .protocol: .unavailable
        case .forbidden: .notPermitted
        case .timedOut, .busy: .temporaryFailure
        default: .software
        }
    }
}

extension FleetFinder.Target {
    /// A loop with its coordinator, for output.
    package func place(of loop: LoopID) -> String {
        let loop = TerminalText.line(loop.name)
        return name.map { "\(TerminalText.line($0))/\(loop)" } ?? "\(loop) at \(endpoint)"
    }
}
