import ArgumentParser
import Foundation
import MobiusCommand
import MobiusLauncher

/// Selects the running fleet that a command is for, and how its answer is printed.
struct ControlOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The fleet by its name, where several run (default: MOBIUS_FLEET, or the only one).", valueName: "name"))
    var fleet: String?

    @Flag(help: "One JSON object per line instead of sentences.")
    var json = false

    /// Connects to the fleet.
    func find() throws -> ControlClient {
        let environment = ProcessInfo.processInfo.environment
        if fleet == nil, let path = environment[ControlClient.variable], !path.isEmpty {
            return ControlClient(path: path)
        }
        let name = try FleetEnvironment.value(fleet, "MOBIUS_FLEET")
        return try FleetFinder(environment: environment).one(named: name).control
    }

    /// Sends a request, prints its progress, and returns when it is done.
    ///
    /// - Throws: `FleetExit` with the code and reason of a refusal.
    func order(_ request: ControlRequest) throws {
        // Each line must appear at once, also in a pipe.
        StandardOutput.bufferLines()
        let reply = try find().ask(request) { show("progress", $0) }
        if let refused = reply.refused {
            throw FleetExit(ExitCode(reply.code ?? 1), TerminalText.line(refused))
        }
        if json, let sizes = reply.sizes { return sizes.forEach { print($0.jsonLine.text) } }
        for line in (reply.done ?? "").split(separator: "\n") { show("done", String(line)) }
    }

    private func show(_ key: String, _ words: String) {
        guard json else { return print(TerminalText.line(words)) }
        var line = JSONLine()
        line.set(key, words)
        print(line.text)
    }
}

extension ControlReply.Size {
    fileprivate var jsonLine: JSONLine {
        var line = JSONLine()
        line.set("pool", pool)
        line.set("from", from)
        line.set("to", to)
        line.set("auto", auto)
        return line
    }
}
