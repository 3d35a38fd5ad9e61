import ArgumentParser
import MobiusClient
import MobiusCommand

/// The command `mobius model`.
struct ShowModel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Shows the model of a loop: its state after the last event.",
        discussion: """
            The model contains every event that was confirmed before the command, and only events that are on disk. \
            Passwords in URLs are masked.

            Exit codes: 0; \(ClientOptions.exitCodes)

            Examples:
              mobius model
              mobius model shop/42 --json | jq .model
            """)

    @Argument(help: "The loop.")
    var loop = LoopID.main

    @Flag(help: "One JSON object instead of lines.")
    var json = false

    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func run() async throws {
        try await options.withClient { client, _ in
            let model = try await client.model(of: loop)
            if json { return print(model.jsonLine.text) }
            var lines = Lines()
            lines.add("Loop", model.loop.name)
            lines.add("Event", "\(model.version.sequence)")
            lines.add("Build", model.build)
            lines.add("Type", model.payload.kind.type)
            lines.print()
            print(model.payload.readable)
        }
    }
}

extension LoopModel {
    /// The model as one object.
    var jsonLine: JSONLine {
        var line = JSONLine()
        line.set("loop", loop.name)
        line.set("sequence", version.sequence)
        line.set("journal", "\(version.journal)")
        line.set("build", build)
        line.set(payload.kind)
        line.set("size", payload.bytes.count)
        line.set("model", payload)
        return line
    }
}
