import ArgumentParser
import Foundation
import MobiusClient
import MobiusLauncher
import MobiusProcess
import MobiusWire

/// The command `mobius loops`.
struct ListLoops: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loops",
        abstract: "Lists loops, by name.",
        discussion: """
            States: running (it has pending effects), idle (it waits for its next event), held (an event in quarantine \
            holds it). The last event's age is unknown for loops that were only restored from a snapshot. Long \
            names are shortened in the middle, unless --wide or --json is given.

            --where and --sort find loops by the facts that their program declares (FindableProgram), and show them. A \
            condition compares facts (= != < <= > >=, in (…), begins with TEXT, has NAME), joined by and, or, not and \
            parentheses. Values are words, 'quoted text', numbers, true, false, and times without quotes: 2026-12-01, \
            2026-12-01T10:00Z, now, now+2h, now-30m. A fact that a loop does not have makes a comparison false. With \
            several programs the prefix names the kind of loops.

            Exit codes: 0, also when there are none; \(ClientOptions.exitCodes)

            Examples:
              mobius loops order/ --state running
              mobius loops order/ --where 'stage = waitingForApproval and total > 100' --sort -total
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

    @Option(
        name: .customLong("where"), help: ArgumentHelp("Only those whose facts fulfil this.", valueName: "condition"))
    var condition: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("By this fact; the largest first with -fact.", valueName: "fact"))
    var sort: String?

    @Flag(help: "Shows facts, also without --where and --sort.")
    var facts = false

    @Option(help: ArgumentHelp("How many at most.", valueName: "count"))
    var limit = 100

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only those after this one; the place that a list by facts ended with.", valueName: "loop"))
    var after: String?

    @Flag(help: "One JSON object per line instead of a table.")
    var json = false

    @OptionGroup var width: WidthOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    private var prefix: String { commandLinePrefix ?? optionalPrefix ?? "" }

    private var isByFacts: Bool { condition != nil || sort != nil || facts }

    func validate() throws {
        guard commandLinePrefix == nil || optionalPrefix == nil else {
            throw ValidationError("Name the prefix once: mobius loops order/, or --prefix.")
        }
        guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
        guard state.map({ name in LoopSummary.State.known.contains { $0.rawValue == name } }) ?? true else {
            throw ValidationError("--state is running, idle, held or ended.")
        }
        do throws(FactQueryError) {
            if let condition { _ = try FactQuery(condition, now: WallTime(milliseconds: 0)) }
            if let sort { _ = try FactSort(sort) }
        } catch {
            throw ValidationError("\(error)")
        }
        guard after.map({ isByFacts ? FactPlace(text: $0) != nil : LoopID($0) != nil }) ?? true else {
            throw ValidationError(isByFacts ? "--after is the place that a list ended with." : "--after is a loop.")
        }
    }

    func run() async throws {
        try await options.withClient { client, _ in
            let (loops, next, isComplete) = isByFacts ? try await found(client) : try await listed(client)
            if json {
                for loop in loops { print(JSONLine(loop).text) }
            } else if loops.isEmpty {
                print("There are no such loops.")
            } else {
                table(of: loops).print(width)
            }
            if !isComplete {
                StandardError.write(
                    "Facts of this build are incomplete yet: loops may be missing, or have earlier ones.\n")
            }
            if let next {
                let quoted = "'\(next.replacing("'", with: #"'\''"#))'"
                StandardError.write("There are more: raise --limit, or go on with --after \(quoted).\n")
            }
        }
    }

    /// The loops by name, and the last one if there are more.
    private func listed(_ client: FleetClient) async throws -> ([LoopSummary], next: String?, isComplete: Bool) {
        var (loops, next): ([LoopSummary], LoopID?) = ([], after.flatMap { LoopID($0) })
        repeat {
            let page = try await client.loops(
                prefix: prefix, state: wanted, after: next, limit: min(1000, limit - loops.count))
            loops += page.loops
            next = page.next
        } while next != nil && loops.count < limit
        return (loops, next?.name, true)
    }

    /// The loops by their facts, and the place of the last one if there are more.
    private func found(_ client: FleetClient) async throws -> ([LoopSummary], next: String?, isComplete: Bool) {
        var (loops, next): ([LoopSummary], FactPlace?) = ([], after.flatMap { FactPlace(text: $0) })
        var isComplete = true
        repeat {
            let page = try await client.find(
                prefix: prefix, where: condition, sort: sort, state: wanted, after: next,
                limit: min(1000, limit - loops.count))
            loops += page.loops
            (next, isComplete) = (page.next, isComplete && page.isComplete)
        } while next != nil && loops.count < limit
        return (loops, next?.text, isComplete)
    }

    private var wanted: LoopSummary.State? { state.map { LoopSummary.State(rawValue: $0) } }

    private func table(of loops: [LoopSummary]) -> Table {
        let names = Set(loops.flatMap { $0.facts.map { Array($0.keys) } ?? [] }).sorted()
        var table = Table(
            ["EVENTS", "PENDING", "STATE", "LAST EVENT"] + names.map { Table.Column.name($0.uppercased()) }
                + [.name("LOOP")])
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        for loop in loops {
            let age = loop.time.map { now.subtractingReportingOverflow($0.milliseconds).partialValue }
            let facts = names.map { name in loop.facts?[name]?.description ?? "-" }
            let last = age.map { Times.span(milliseconds: UInt64(max(0, $0))) + " ago" } ?? "-"
            table.add(["\(loop.sequence)", "\(loop.pending)", loop.state.rawValue, last] + facts + [loop.loop.name])
        }
        return table
    }
}
