import ArgumentParser
import MobiusClient
import MobiusLauncher
import MobiusProcess

/// The command `mobius quarantine`.
struct Quarantine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows loops that are held, and releases them.",
        discussion: """
            A loop is held after an event has crashed the coordinator's process twice while it was applied, when this \
            build cannot read a record of its journal, or when update is not pure for it. It takes no events and its effects wait; all other loops \
            continue. After a crash, install a build that can apply the event and release the loop, or drop the event. \
            After an unreadable record, install a build that can read it, and the loop continues by itself. If update \
            is not pure, install a corrected build, and it continues by itself; or release it, and it continues from \
            its snapshot.

            Examples:
              mobius quarantine list
              mobius quarantine list order/
              mobius quarantine show shop/42
              mobius quarantine release shop/42
              mobius quarantine release shop/42 --drop
            """,
        subcommands: [QuarantineList.self, QuarantineShow.self, QuarantineRelease.self])
}

/// The command `mobius quarantine list`.
struct QuarantineList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the loops that are held.",
        discussion: """
            On a terminal, of more than five loops the first five are shown, unless --all is given.

            Exit codes: 0, also when there are none; \(ClientOptions.exitCodes)
            """)

    @Argument(
        help: ArgumentHelp(
            "Only those whose names begin so, such as order/ for one kind of loops.", valueName: "prefix"))
    var prefix = ""

    @Flag(help: "Show all held loops on a terminal, too.")
    var all = false

    @Flag(help: "One JSON object per line instead of a table.")
    var json = false

    @OptionGroup var width: WidthOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func run() async throws {
        try await options.withClient { client, _ in
            var held: [QuarantineSummary] = []
            var more = true
            while more {
                let page = try await client.quarantine(prefix: prefix, after: held.last?.loop)
                held += page.elements
                more = page.more && !page.elements.isEmpty
            }
            if json { return held.forEach { print(JSONLine($0).text) } }
            guard !held.isEmpty else { return print(prefix.isEmpty ? "No loop is held." : "No such loop is held.") }
            var table = Table(.name("LOOP"), "SINCE", "EVENT", "CRASHES", "WAITING", "SOURCE")
            let shown = all || !Table.isOnTerminal ? held[...] : held.prefix(Self.shownOnTerminal)
            if shown.count < held.count {
                print("\(held.count) loops are held; these are the first \(shown.count), --all shows every one:")
            }
            for loop in shown {
                table.add(
                    loop.loop.name, Times.point(loop.since), "\(loop.sequence)", "\(loop.crashes)", "\(loop.pending)",
                    loop.source)
            }
            table.print(width)
        }
    }
}

extension QuarantineList {
    /// The number of loops that are listed on a terminal.
    fileprivate static let shownOnTerminal = 5
}

/// The command `mobius quarantine show LOOP`.
struct QuarantineShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows a held loop, and the event that holds it.",
        discussion: "Exit codes: 0; \(ClientOptions.exitCodes)")

    @Argument(help: "The loop.")
    var loop: LoopID

    @Flag(help: "One JSON object instead of lines.")
    var json = false

    @OptionGroup var mask: MaskOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func run() async throws {
        try await options.withClient(unmasked: mask.unmasked) { client, _ in
            let (held, event) = try await client.quarantined(loop)
            if json {
                return print(JSONLine(held, event).text)
            }
            var lines = Lines()
            lines.add("Loop", held.loop.name)
            lines.add("Held since", Times.point(held.since))
            lines.add(
                "Crashes",
                held.crashes == 0 ? "none" : "\(held.crashes), the last of build \(held.build)")
            lines.add("Effects waiting", "\(held.pending)")
            lines.add("Event", "\(held.sequence): \(held.source)")
            // An unreadable record has no type.
            lines.add("Type", held.kind.type.isEmpty ? nil : held.kind.type)
            lines.print()
            if !event.bytes.isEmpty { print(event.readable) }
        }
    }
}

/// The command `mobius quarantine release LOOP`.
struct QuarantineRelease: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Lets a held loop continue.",
        discussion: """
            The event that held it is applied again; the loop is held again if the event crashes the process twice \
            more. With --drop the event is never applied again: a later send with its key prints 'dropped'.

            Exit codes: 0 when the loop is not held any more; \(ClientOptions.exitCodes)
            """)

    @Argument(help: "The loop.")
    var loop: LoopID

    @Flag(help: "Record the event as applied, without effect, instead of applying it again.")
    var drop = false

    @OptionGroup var output: OutcomeOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func run() async throws {
        try await options.withClient { client, target in
            let held = try await client.quarantined(loop).held
            let outcome = try await client.release(loop, drop: drop, sequence: held.sequence)
            let name = TerminalText.line(loop.name)
            let done = "released\(drop ? ", event \(held.sequence) dropped" : "")"
            let words = outcome == .done ? done : "was released already"
            output.show("\(name) \(words), at \(target.label)") { line in
                line.set("outcome", outcome == .done ? "released" : "already released")
                line.set("loop", loop.name)
                line.set("sequence", held.sequence)
                line.set("isDropped", drop && outcome == .done)
                line.set("target", target.label)
            }
        }
    }
}
