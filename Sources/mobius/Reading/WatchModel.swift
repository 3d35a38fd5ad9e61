import ArgumentParser
import MobiusClient
import MobiusLauncher
import MobiusProcess

/// The command `mobius watch`.
struct WatchModel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows the model of a loop, and then each later one, until it is interrupted.",
        discussion: """
            Each line has the number of the last event and the model. When events come faster than the models are \
            printed, some are left out, but never the last. The command goes on when the coordinator was started anew. \
            Lines are cut to the width of the terminal, or to 80 columns, unless --full or --json is given.

            Exit codes: \(ClientOptions.exitCodes)

            Examples:
              mobius watch
              mobius watch shop/42 --json | jq --unbuffered .model.total
            """)

    @Argument(help: "The loop.")
    var loop = LoopID.main

    @Option(help: ArgumentHelp("End after so many models.", valueName: "number"))
    var count: Int?

    @Flag(help: "Do not cut lines.")
    var full = false

    @Flag(help: "One JSON object per line.")
    var json = false

    @OptionGroup var mask: MaskOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func validate() throws {
        guard count ?? 1 > 0 else { throw ValidationError("--count must be at least 1.") }
    }

    func run() async throws {
        try await options.withClient(unmasked: mask.unmasked) { client, _ in
            var left = count ?? .max
            for try await model in client.models(of: loop) {
                print(json ? model.jsonLine.text : line(model))
                try StandardOutput.flush()
                left -= 1
                if left == 0 { return }
            }
        }
    }

    private func line(_ model: LoopModel) -> String {
        let text = model.payload.json.map(TerminalText.line) ?? TerminalText.line("\(model.payload)")
        let line = "#\(model.version.sequence)  \(text)"
        return full ? line : TerminalText.cut(line, to: Table.screenWidth)
    }
}
