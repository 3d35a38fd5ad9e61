import ArgumentParser
import MobiusClient
import MobiusCommand

/// The command `mobius effects`.
struct Effects: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists effects that were requested and have not ended.",
        discussion: """
            An effect's id is LOOP/SEQUENCE/INDEX: the event that requested it, and its index among that event's \
            effects. Phases: waiting (for a worker or its turn), running, pausing (until its next attempt), timer, \
            held (its loop is in quarantine).

            Exit codes: 0, also when there are none; \(ClientOptions.exitCodes)

            Examples:
              mobius effects --pool page-fetcher
              mobius effects --json --limit 100000 | jq -r 'select(.failures > 3) | .id'
            """)

    @Option(help: ArgumentHelp("Only those of this loop.", valueName: "loop"))
    var loop: LoopID?

    @Option(help: ArgumentHelp("Only those that go to this pool.", valueName: "pool"))
    var pool: String?

    @OptionGroup var list: ListOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func run() async throws {
        try await options.withClient { client, _ in
            let effects = try await list.collect { after, limit in
                try await client.effects(loop: loop, pool: pool, after: after, limit: limit)
            } id: {
                $0.id
            }
            if list.json { return effects.elements.forEach { print($0.jsonLine.text) } }
            guard !effects.elements.isEmpty else { return print("No effects are pending.") }
            var table = Table("EFFECT", "PHASE", "POOL", "AGE", "FAILED", "NOTE")
            for effect in effects.elements {
                table.add(
                    "\(effect.id)", effect.phase.rawValue, effect.pool ?? "-", Times.span(milliseconds: effect.age),
                    "\(effect.failures)", effect.note)
            }
            table.print()
            list.printRest(effects)
        }
    }
}

extension EffectSummary {
    /// Details that have no column of their own.
    fileprivate var note: String {
        var parts: [String] = []
        if let due { parts.append("goes on \(Times.point(due))") }
        if let attempt, attempt.round > 0 { parts.append("retry \(attempt.round)") }
        if let worker { parts.append("on \("\(worker)".prefix(8))") }
        if !reason.isEmpty { parts.append(reason) }
        return parts.isEmpty ? kind.type : parts.joined(separator: ", ")
    }

    fileprivate var jsonLine: JSONLine {
        var line = JSONLine()
        line.set("id", "\(id)")
        line.set("loop", id.loop.name)
        line.set("phase", phase.rawValue)
        line.set("pool", pool)
        line.set("ageMilliseconds", age)
        line.set("failures", failures)
        line.set("reason", reason.isEmpty ? nil : reason)
        line.set("due", due)
        line.set("attempt", attempt)
        line.set("worker", worker.map { "\($0)" })
        line.set(kind)
        line.set("size", size)
        return line
    }
}
