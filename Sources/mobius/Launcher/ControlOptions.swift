import ArgumentParser
import Foundation
import MobiusCommand
import MobiusLauncher

/// Selects the running fleet that a command is for.
struct ControlOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The fleet by its name, where several run (default: MOBIUS_FLEET, or the only one).", valueName: "name"))
    var fleet: String?

    /// Connects to the fleet.
    func find() throws -> ControlClient {
        let environment = ProcessInfo.processInfo.environment
        if fleet == nil, let path = environment[ControlClient.variable], !path.isEmpty {
            return ControlClient(path: path)
        }
        let name = try FleetEnvironment.value(fleet, "MOBIUS_FLEET")
        return try FleetFinder(environment: environment).one(named: name).control
    }
}

extension ControlClient {
    /// Sends a request, prints its progress, and returns when it is done.
    ///
    /// - Throws: `FleetExit` with the code and reason of a refusal.
    func order(_ request: ControlRequest) throws {
        // Each line must appear at once, also in a pipe.
        StandardOutput.bufferLines()
        let reply = try ask(request) { print(TerminalText.line($0)) }
        if let refused = reply.refused {
            throw FleetExit(ExitCode(reply.code ?? 1), TerminalText.line(refused))
        }
        for line in (reply.done ?? "").split(separator: "\n") { print(TerminalText.line(String(line))) }
    }
}
