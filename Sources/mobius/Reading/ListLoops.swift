import ArgumentParser
import Foundation
import MobiusClient
import MobiusLauncher
import MobiusProcess

/// The command `mobius loops`.
struct ListLoops: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loops",
        abstract: "Lists loops, by name.",
        discussion: """
            States: running (it has pending effects), idle (it waits for its next event), held (an event in quarantine \
            holds it). The last event's age is unknown for loops that were only restored from a snapshot. Long \
            names are shortened in the middle, unless --wide or --json is given.

            Exit codes: 0, also when there are none; \(ClientOptions.exitCodes)

            Examples:
              mobius loops order/ --state running
              mobius loops --json --limit 1000000 | jq -r .loop
            """)

    @Argument(
        help: ArgumentHelp(
            "Only those whose names begin so, such as order/ for one kind of loops.", valueName: "prefix"))
    var commandLinePrefix: String?

    @Option(name: .customLong("prefix"), help: ArgumentHelp("The same.", valueName: "text"))
    var optionalPrefix: String?

    @Option(help: ArgumentHelp("Only those in this state: running, idle, held or ended.", valueName: "state"))
    var state: String?

    @Option(help: ArgumentHelp("How many at most.", valueName: "count"))
    var limit = 100

    @Option(help: ArgumentHelp("Only those after this one.", valueName: "loop"))
    var after: LoopID?

    @Flag(help: "One JSON object per line instead of a table.")
    var json = false

    @OptionGroup var width: WidthOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    private var prefix: String { commandLinePrefix ?? optionalPrefix ?? "" }

    func validate() throws {
        guard commandLinePrefix == nil || optionalPrefix == nil else {
            throw ValidationError("Name the prefix once: mobius loops order/, or --prefix.")
        }
        guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
        guard state.map({ name in LoopSummary.State.known.contains { $0.rawValue == name } }) ?? true else {
            throw ValidationError("--state is running, idle, held or ended.")
        }
    }

    func run() async throws {
        try await options.withClient { client, _ in
            var (next, count, isEnd) = (after, 0, false)
            var table = Table("EVENTS", "PENDING", "STATE", "LAST EVENT", .name("LOOP"))
            repeat {
                let page = try await client.loops(
                    prefix: prefix, state: state.map { LoopSummary.State(rawValue: $0) }, after: next,
                    limit: min(1000, limit - count))
                for loop in page.loops {
                    if json { print(JSONLine(loop).text) } else { add(loop, to: &table) }
                }
                count += page.loops.count
                next = page.next
                isEnd = page.next == nil
            } while !isEnd && count < limit
            if !json { count == 0 ? print("There are no such loops.") : table.print(width) }
            if !isEnd { StandardError.write("There are more: raise --limit, or go on with --after the last.\n") }
        }
    }

    private func add(_ loop: LoopSummary, to table: inout Table) {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let age = loop.time.map { now.subtractingReportingOverflow($0.milliseconds).partialValue }
        table.add(
            "\(loop.sequence)", "\(loop.pending)", loop.state.rawValue,
            age.map { Times.span(milliseconds: UInt64(max(0, $0))) + " ago" } ?? "-", loop.loop.name)
    }
}
