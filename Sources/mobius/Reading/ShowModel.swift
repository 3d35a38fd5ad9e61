import ArgumentParser
import MobiusClient
import MobiusLauncher
import MobiusProcess
import MobiusWire

/// The command `mobius model`.
struct ShowModel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Shows the model of a loop: its state after the last event, or after an earlier one.",
        discussion: """
            The model contains every event that was confirmed before the command, and only events that are on disk. \
            Passwords in URLs are masked, and so is what the program masks for people.

            Of a loop that is held it is the model after the last event that was applied, with a mark.

            With --at it is the model directly after that event. The coordinator computes it from its journal, beside \
            its other work; how far the past reaches depends on its --keep-history. `mobius history` shows the numbers.

            With --all it is the models of all loops whose names begin so, one JSON object per line; a loop whose model cannot be \
            read is listed with the reason.

            Exit codes: 0; with --all 3 when some models cannot be read; \(ClientOptions.exitCodes)

            Examples:
              mobius model
              mobius model --all order/ | jq -r 'select(.model.total > 100) | .loop'
              mobius model shop/42 --json | jq .model
              mobius model shop/42 --at 17
            """)

    @Argument(help: "The loop, main unless it is named; or with --all what the names of loops begin with.")
    var loop: LoopID?

    @Option(help: ArgumentHelp("The model after this event.", valueName: "number"))
    var at: UInt64?

    @Flag(help: "The models of all loops whose names begin so.")
    var all = false

    @Flag(help: "One JSON object instead of lines.")
    var json = false

    @OptionGroup var mask: MaskOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func validate() throws {
        if all, at != nil { throw ValidationError("--all reads current models: leave --at out.") }
    }

    private func showAll(_ client: FleetClient) async throws {
        var (next, isWhole): (LoopID?, Bool) = (nil, true)
        repeat {
            let page = try await client.models(prefix: loop?.name ?? "", after: next, limit: 256)
            for model in page.models { print(model.jsonLine.text) }
            for (loop, error) in page.unread {
                StandardError.write(TerminalText.line("\(loop): \(error.message)") + "\n")
                isWhole = false
            }
            next = page.next
        } while next != nil
        if !isWhole { throw FleetExit(.partial, "") }
    }

    func run() async throws {
        try await options.withClient(unmasked: mask.unmasked) { client, _ in
            if all { return try await showAll(client) }
            let model = try await client.model(of: loop ?? .main, at: at)
            if json { return print(model.jsonLine.text) }
            var lines = Lines()
            lines.add("Loop", model.loop.name)
            lines.add("Event", "\(model.version.sequence)")
            lines.add("Build", model.build)
            lines.add("Type", model.payload.kind.type)
            lines.add("Held", model.isHeld ? "yes, this is its last good model: see mobius quarantine show" : nil)
            lines.add("Masked", model.isMasked ? "some of it, by the program" : nil)
            lines.print()
            print(model.payload.readable)
        }
    }
}

extension LoopModel {
    /// The model as one object.
    var jsonLine: JSONLine {
        JSONLine(
            ModelSummary(loop: loop, version: version, build: build, isMasked: isMasked, isHeld: isHeld), payload)
    }
}
