import ArgumentParser
import Foundation
import MobiusLauncher
import MobiusProcess

/// Selects the running fleet that a command is for, and how its answer is printed.
struct ControlOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The fleet by its name, where several run (default: the one that this process belongs to, MOBIUS_FLEET, or the "
                + "only one).", valueName: "name"))
    var fleet: String?

    @Flag(help: "One JSON object per line instead of sentences.")
    var json = false

    /// Sends a request, prints its progress, and returns when it is done.
    ///
    /// - Throws: `FleetExit` with the code and reason of a refusal.
    func order(_ request: ControlRequest) throws {
        // Each line must appear at once, also in a pipe.
        StandardOutput.bufferLines()
        let found = try FleetFinder(environment: ProcessInfo.processInfo.environment).chosen(fleet)
        let name = TerminalText.line(found.fleet.name)
        let reply = try found.control.ask(request) { show("progress", $0, of: name) }
        if let refused = reply.refused {
            throw FleetExit(ExitCode(reply.code ?? 1), TerminalText.line(refused))
        }
        if json, let sizes = reply.sizes { return sizes.forEach { print($0.jsonLine(of: name).text) } }
        for line in (reply.done ?? "").split(separator: "\n") {
            show("done", json ? String(line) : "\(line.hasSuffix(".") ? line.dropLast() : line), at \(name)", of: name)
        }
    }

    private func show(_ key: String, _ words: String, of fleet: String) {
        guard json else { return print(TerminalText.line(words)) }
        var line = JSONLine()
        line.set(key, words)
        line.set("fleet", fleet)
        print(line.text)
    }
}

extension ControlReply.Size {
    fileprivate func jsonLine(of fleet: String) -> JSONLine {
        var line = JSONLine()
        line.set("fleet", fleet)
        line.set("pool", pool)
        line.set("from", from)
        line.set("to", to)
        line.set("auto", auto)
        return line
    }
}
