import ArgumentParser
import MobiusClient
import MobiusLauncher
import MobiusProcess

/// The command `mobius history`.
struct ShowHistory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Shows a loop's events, their causes, and what became of the effects that they asked for.",
        discussion: """
            Each event is shown with its time, its number, its cause, its content and its effects; without --from, the \
            last events. A coordinator with --keep-history keeps all events, with --keep-history 30d those of 30 days, \
            any other those that it needs after a crash. Lines are cut to the width of the terminal, or to 80 columns, unless --full is given. \
            `mobius journal show` shows the same from the journal's file.

            Exit codes: 0; \(ClientOptions.exitCodes)

            Examples:
              mobius history
              mobius history shop/42 --from 0 --to 10 --full
              mobius history --from 0 --limit 1000000 --json | jq -c .event
            """)

    @Argument(help: "The loop.")
    var loop = LoopID.main

    @Option(help: ArgumentHelp("The first event (default: so that the last ones are shown).", valueName: "number"))
    var from: UInt64?

    @Option(help: ArgumentHelp("The last event.", valueName: "number"))
    var to: UInt64?

    @Option(help: ArgumentHelp("How many events at most.", valueName: "count"))
    var limit = 20

    @Flag(name: [.customLong("full"), .customLong("wide")], help: "Do not cut lines.")
    var full = false

    @Flag(help: "One JSON object per line: an event, or a note on an effect.")
    var json = false

    @OptionGroup var mask: MaskOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
    }

    func run() async throws {
        try await options.withClient(unmasked: mask.unmasked) { client, _ in
            var first = from
            if first == nil, to == nil {
                // The first loop whose name begins with this name is the loop itself, if it exists.
                let last = try await client.loops(prefix: loop.name, limit: 1).loops.first?.sequence ?? 0
                first = last < UInt64(limit) ? 0 : last - UInt64(limit) + 1
            }
            try await show(from: first ?? 0, client)
        }
    }

    private func show(from first: UInt64, _ client: FleetClient) async throws {
        var (events, after, isFirst): (Int, HistoryPlace?, Bool) = (0, nil, true)
        while true {
            let page = try await client.history(of: loop, from: first, to: to, after: after)
            if isFirst { noteBeginning(of: page, from) }
            isFirst = false
            for entry in page.entries {
                if entry.place.part == 0 {
                    guard events < limit else { return }
                    events += 1
                }
                show(entry)
            }
            guard page.more, let last = page.entries.last else { return }
            after = last.place
        }
    }

    private func show(_ entry: HistoryEntry) {
        if json { return print(JSONLine(entry.shown(as: \.shown)).text) }
        let width = full ? Int.max : Table.screenWidth
        for line in HistoryText.lines(entry, width: width) { print(line) }
    }

    /// Reports on standard error from which event on the past is known, so that standard output contains only entries.
    private func noteBeginning(of page: HistoryPage, _ asked: UInt64?) {
        guard let known = page.first else {
            return StandardError.write("The coordinator keeps no journal on disk, so it has no history.\n")
        }
        guard let asked, asked < known else { return }
        StandardError.write(
            "The history before event \(known) is not kept: a coordinator keeps more with --keep-history.\n")
    }
}
