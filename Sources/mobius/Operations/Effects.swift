import ArgumentParser
import MobiusClient
import MobiusLauncher
import MobiusProcess
import MobiusWire

/// The command `mobius effects`.
struct Effects: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists effects that were requested and have not ended, or shows one.",
        discussion: """
            Without a subcommand it lists them; `mobius effects list --help` shows the options. An effect's id is \
            LOOP/SEQUENCE/INDEX: the event that requested it, and its index among that event's effects. Phases: \
            waiting (for a worker or its turn), running, pausing (until its next attempt), timer, held (its loop is \
            in quarantine). Effects of held loops are listed with --loop only.

            Exit codes: 0, also when there are none; \(ClientOptions.exitCodes)

            Examples:
              mobius effects --pool page-fetcher
              mobius effects --phase running --type fetch
              mobius effects --why order/4711
              mobius effects --json --limit 100000 | jq -r 'select(.failures > 3) | .id'
              mobius effects show main/17/0
              mobius effects fire order/4711/3/0 --why "the customer called"
              mobius effects complete order/4711/2/0 --event '{"charged":{"receipt":12}}' --why "paid by transfer"
            """,
        subcommands: [
            EffectsList.self, EffectsShow.self, EffectsCancel.self, EffectsFail.self, EffectsComplete.self,
            EffectsFire.self,
        ], defaultSubcommand: EffectsList.self)
}

/// The command `mobius effects list`.
struct EffectsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists pending effects, and why they wait.",
        discussion: """
            A loop or a pool that does not exist is an error.

            Exit codes: 0, also when there are none; \(ClientOptions.exitCodes)
            """)

    @Option(help: ArgumentHelp("Only those of this loop.", valueName: "loop"))
    var loop: LoopID?

    @Option(help: ArgumentHelp("Only those that go to this pool.", valueName: "pool"))
    var pool: String?

    @Option(help: ArgumentHelp("Only those in this phase: \(Self.phases).", valueName: "phase"))
    var phase: String?

    @Option(
        help: ArgumentHelp(
            "Only those of this name, a case of the program's effects (mobius events lists them).", valueName: "name"))
    var type: String?

    @Option(help: ArgumentHelp("Instead of a list: what this loop waits for, in sentences.", valueName: "loop"))
    var why: LoopID?

    @OptionGroup var list: ListOptions
    @OptionGroup var width: WidthOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    private static let phases = EffectSummary.Phase.known.map(\.rawValue).joined(separator: ", ")

    func validate() throws {
        if why != nil, loop != nil || pool != nil || phase != nil || type != nil {
            throw ValidationError(
                "--why shows all that a loop waits for: leave --loop, --pool, --phase and --type out.")
        }
        guard let phase, !EffectSummary.Phase.known.contains(EffectSummary.Phase(rawValue: phase)) else { return }
        throw ValidationError("There is no phase '\(phase)': it is one of \(Self.phases).")
    }

    func run() async throws {
        try await options.withClient { client, _ in
            if let why { return show(try await client.waits(of: why)) }
            let effects = try await list.collect { after, limit in
                try await page(client, after, limit)
            } id: {
                $0.id
            }
            if list.json { return effects.elements.forEach { print(JSONLine($0).text) } }
            guard !effects.elements.isEmpty else { return print("No effects are pending.") }
            var table = Table(.effect("EFFECT"), "PHASE", .name("POOL"), "AGE", "FAILED", "NOTE")
            for effect in effects.elements {
                table.add(
                    "\(effect.id)", effect.phase.rawValue, effect.pool ?? "-", Times.span(milliseconds: effect.age),
                    "\(effect.failures)", effect.note)
            }
            table.print(width)
            list.printRest(effects)
        }
    }

    private func show(_ waits: LoopWaits) {
        if list.json { return print(JSONLine(waits).text) }
        print(TerminalText.line("\(waits.loop): \(waits.sentence)"))
        guard !waits.waits.isEmpty else { return }
        var table = Table(.effect("EFFECT"), "AGE", "UNTIL", "WHY")
        for wait in waits.waits {
            table.add(
                "\(wait.effect)", Times.span(milliseconds: wait.ageMilliseconds),
                wait.until.map { Times.point($0) } ?? "-",
                wait.sentence)
        }
        table.print(width)
    }

    /// The next effects that are wanted, over as many of the coordinator's pages as it takes.
    private func page(_ client: FleetClient, _ after: EffectID?, _ limit: Int) async throws -> FleetPage<EffectSummary>
    {
        var after = after
        while true {
            let isFiltered = phase != nil || type != nil
            let page = try await client.effects(loop: loop, pool: pool, after: after, limit: isFiltered ? 1000 : limit)
            let found = page.elements.filter { effect in
                (phase.map { $0 == effect.phase.rawValue } ?? true) && (type.map { $0 == effect.name } ?? true)
            }
            guard found.isEmpty, page.more, let last = page.elements.last else {
                return FleetPage(Array(found.prefix(limit)), more: page.more || found.count > limit)
            }
            after = last.id
        }
    }
}

/// The command `mobius effects show EFFECT`.
struct EffectsShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows a pending effect: what it is to do, its attempts, and why it waits.",
        discussion: "Exit codes: 0; \(ClientOptions.exitCodes)")

    @Argument(help: "The effect, as LOOP/SEQUENCE/INDEX.")
    var effect: EffectID

    @Flag(help: "One JSON object instead of lines.")
    var json = false

    @OptionGroup var mask: MaskOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func run() async throws {
        try await options.withClient(unmasked: mask.unmasked) { client, _ in
            let (effect, payload) = try await client.effect(effect)
            if json {
                return print(JSONLine(effect, payload).text)
            }
            var lines = Lines()
            lines.add("Effect", "\(effect.id)")
            lines.add("Name", effect.name.isEmpty ? nil : effect.name)
            lines.add("Phase", effect.phase.rawValue)
            lines.add("Waits", effect.wait)
            lines.add("Pool", effect.pool)
            lines.add("Worker", effect.workerLabel)
            lines.add("Attempt", effect.attempt.map { "\($0.number & 0xF_FFFF), in epoch \($0.epoch)" })
            lines.add("Retried before", effect.attempt.flatMap { $0.round == 0 ? nil : "\($0.round)" })
            lines.add("Failed attempts", "\(effect.failures)")
            lines.add("Last failure", effect.reason.isEmpty ? nil : effect.reason)
            lines.add("Age", Times.span(milliseconds: effect.age))
            lines.add("Type", effect.kind.type)
            lines.print()
            print(payload.readable)
        }
    }
}

extension EffectSummary {
    /// The reason why it does not run, and until when that is known; `nil` when there is none.
    fileprivate var wait: String? {
        let time = due.map { Times.point($0) }
        if obstacle.isEmpty { return time.map { "goes on \($0)" } }
        return obstacle + (time.map { " until \($0)" } ?? "")
    }

    /// The worker that runs it, by its name or the beginning of its incarnation.
    fileprivate var workerLabel: String? {
        worker.map { workerName.isEmpty ? String("\($0)".prefix(8)) : workerName }
    }

    /// Details that have no column of their own.
    fileprivate var note: String {
        var parts = name.isEmpty ? [] : [name]
        if let wait { parts.append(wait) }
        if let attempt, attempt.round > 0 { parts.append("retry \(attempt.round)") }
        if let workerLabel { parts.append("on \(workerLabel)") }
        if !reason.isEmpty { parts.append(reason) }
        return parts.isEmpty ? kind.type : parts.joined(separator: ", ")
    }
}
