import ArgumentParser
import MobiusCodec
import MobiusJournal
import MobiusProcess
import MobiusWire

/// The command `mobius journal show FILE`.
struct JournalShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a loop's events, the effects they requested, and the outcome of each effect.",
        discussion: """
            Each event is shown with its time, its number, its source, its content and its effects; without --from, \
            the last events. Lines are cut to the width of a terminal, unless --full is given; they are whole in a pipe.

            Exit codes: 0; \(JournalCommand.exitCodes)

            Examples:
              mobius journal show site-audit.journal --from 1 --limit 3 --full
              mobius journal show site-audit.journal --pending
              mobius journal show site-audit.journal --limit 1000000 --json | jq -c '.event'
            """)

    @Argument(help: "The journal's file or URL.", completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The loop (default: main, or the only one).", valueName: "loop"))
    var loop: LoopID?

    @Option(help: ArgumentHelp("The first event (default: so that the last ones are shown).", valueName: "number"))
    var from: UInt64?

    @Option(help: ArgumentHelp("How many events at most.", valueName: "count"))
    var limit = 20

    @Flag(help: "Show the effects that have not ended, instead of events.")
    var pending = false

    @Flag(help: "Do not cut lines.")
    var full = false

    @Flag(help: "One JSON object per line: an event, or a note on an effect.")
    var json = false

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
        guard !pending || from == nil else { throw ValidationError("--pending shows all effects: leave --from out.") }
    }

    func run() async throws {
        try await JournalCommand.withJournal(file, of: loop ?? .main, pinsSnapshot: true) { journal in
            let info = try journal.info()
            let loop = try chosen(info)
            if pending { return try showPending(of: loop.loop, in: journal) }
            guard let first = loop.firstSequence else {
                if !json { print("The loop \(TerminalText.line(loop.loop.name)) has not begun.") }
                return
            }
            let newest = try journal.sequence(ofNewest: limit, of: loop.loop) ?? first
            try show(loop.loop, from: from ?? newest, in: journal)
        }
    }

    private func chosen(_ info: JournalInfo) throws -> JournalInfo.Loop {
        let found =
            if let loop {
                info.loops.first { $0.loop == loop }
            } else {
                info.loops.first { $0.loop == .main } ?? (info.loops.count == 1 ? info.loops.first : nil)
            }
        if let found { return found }
        guard !info.loops.isEmpty else {
            throw FleetExit(.usage, "The journal \(JournalPlace.shown(file)) holds no loop yet.")
        }
        let names = info.loops.prefix(10).map { TerminalText.line($0.loop.name) }.joined(separator: ", ")
        let rest = info.loops.count > 10 ? " and \(info.loops.count - 10) more" : ""
        let meant = loop.flatMap { NearestName.of($0.name, in: info.loops.map(\.loop.name)) }
        let nearest = meant.map { "Did you mean \(TerminalText.line($0))? " } ?? ""
        throw FleetExit(.usage, "\(nearest)Name one of the journal's loops with --loop: \(names)\(rest).")
    }

    private func show(_ loop: LoopID, from start: UInt64, in journal: any InspectedJournal) throws {
        var (next, events) = (start, 0)
        while true {
            let page = try journal.records(of: loop, from: next, limit: 500)
            guard let last = page.last else { return }
            for entry in page {
                if case .event = entry.record {
                    guard events < limit else { return }
                    events += 1
                }
                let shown = HistoryEntry(entry, of: loop)
                if json {
                    print(JSONLine(shown.shown(as: \.shown)).text)
                } else {
                    for line in HistoryText.lines(shown, width: full ? .max : Table.screenWidth) { print(line) }
                }
            }
            next = last.sequence + 1
        }
    }

    private func showPending(of loop: LoopID, in journal: any InspectedJournal) throws {
        let effects = try journal.pending(of: loop)
        if json { return effects.forEach { print(Self.jsonLine($0).text) } }
        guard !effects.isEmpty else { return print("All effects have ended.") }
        var table = Table(.effect("EFFECT"), "ASKED FOR", "FAILED", "DUE", "CONTENT")
        for effect in effects {
            table.add(
                "\(effect.id)", Times.point(effect.asked), "\(effect.failures)",
                effect.due.map { Times.point($0) } ?? "-",
                HistoryText.content(effect.effect))
        }
        table.print()
    }

    private static func jsonLine(_ effect: PendingEffect) -> JSONLine {
        var line = JSONLine()
        line.set("id", "\(effect.id)")
        line.set("loop", effect.id.loop.name)
        line.set("asked", effect.asked)
        line.set("due", effect.due)
        line.set("failures", effect.failures)
        line.set("round", effect.round)
        line.set("started", effect.started.map { "\($0.epoch).\($0.number)" })
        line.set(effect.effect.kind)
        line.set("effect", effect.effect)
        return line
    }
}
