import ArgumentParser
import MobiusClient
import MobiusCommand
import MobiusLauncher

/// The command `mobius dead`.
struct Dead: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows effects that failed for good, and retries or drops them.",
        discussion: """
            An effect that has used up its attempts becomes a dead letter, which stays in the journal until it is \
            retried or dropped.

            Examples:
              mobius dead list
              mobius dead show main/17/0
              mobius dead retry main/17/0 main/18/2
              mobius dead retry --all --loop shop/42
              mobius dead drop main/17/0
            """,
        subcommands: [DeadList.self, DeadShow.self, DeadRetry.self, DeadDrop.self])
}

/// The command `mobius dead list`.
struct DeadList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists dead letters.",
        discussion: "Exit codes: 0, also when there are none; \(ClientOptions.exitCodes)")

    @Option(help: ArgumentHelp("Only those of this loop.", valueName: "loop"))
    var loop: LoopID?

    @OptionGroup var list: ListOptions
    @OptionGroup var width: WidthOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func run() async throws {
        try await options.withClient { client, _ in
            let letters = try await list.collect { after, limit in
                try await client.deadLetters(loop: loop, after: after, limit: limit)
            } id: {
                $0.id
            }
            if list.json { return letters.elements.forEach { print($0.jsonLine.text) } }
            guard !letters.elements.isEmpty else { return print("There are no dead letters.") }
            var table = Table(.effect("EFFECT"), "SINCE", .name("POOL"), "FAILED", "REASON")
            for letter in letters.elements {
                table.add(
                    "\(letter.id)", Times.point(letter.deadLettered), letter.pool ?? "-", "\(letter.failures)",
                    letter.reason)
            }
            table.print(width)
            list.printRest(letters)
        }
    }
}

/// The command `mobius dead show EFFECT`.
struct DeadShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows a dead letter, and what the effect was to do.",
        discussion: "Exit codes: 0; \(ClientOptions.exitCodes)")

    @Argument(help: "The effect, as LOOP/SEQUENCE/INDEX.")
    var effect: EffectID

    @Flag(help: "One JSON object instead of lines.")
    var json = false

    @OptionGroup var mask: MaskOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func run() async throws {
        try await options.withClient(unmasked: mask.unmasked) { client, _ in
            let (letter, effect) = try await client.deadLetter(effect)
            if json {
                var line = letter.jsonLine
                line.set("effect", effect)
                return print(line.text)
            }
            var lines = Lines()
            lines.add("Effect", "\(letter.id)")
            lines.add("Since", Times.point(letter.deadLettered))
            lines.add("Pool", letter.pool)
            lines.add("Failed attempts", "\(letter.failures)")
            lines.add("Retried before", letter.round == 0 ? nil : letter.round == 1 ? "once" : "\(letter.round) times")
            lines.add("Reason", letter.reason)
            lines.add("Type", letter.kind.type)
            lines.print()
            print(effect.readable)
        }
    }
}

/// The command `mobius dead retry EFFECT…`.
struct DeadRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Makes dead letters pending effects again, with a new set of attempts.",
        discussion: """
            Repeating the command is harmless: an effect that is pending, or was retried before, is left alone, even \
            if it has ended since. The coordinator remembers the last 100,000 retries. Any other effect, such as a \
            dropped one, is not a dead letter: exit code 1.

            Exit codes: 0 when each is pending again, or was retried before; \(ClientOptions.exitCodes)
            """)

    @Argument(help: "Effects, as LOOP/SEQUENCE/INDEX.")
    var effects: [EffectID] = []

    @Flag(help: "All current dead letters.")
    var all = false

    @Option(help: ArgumentHelp("With --all: those of this loop.", valueName: "loop"))
    var loop: LoopID?

    @OptionGroup var outcome: OutcomeOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func validate() throws {
        guard all == effects.isEmpty else { throw ValidationError("Name effects, or give --all, and not both.") }
        guard all || loop == nil else { throw ValidationError("--loop goes with --all.") }
    }

    func run() async throws {
        try await options.withClient { client, target in
            guard all else {
                return try await eachLetter(of: effects, at: target, outcome) { id in
                    try await retry(id, client) == .done ? "retried" : "is pending, or was retried before"
                }
            }
            var count = 0
            var page = FleetPage<DeadLetterSummary>([], more: true)
            while page.more {
                page = try await client.deadLetters(loop: loop, after: page.elements.last?.id)
                for letter in page.elements {
                    // Letters that another operator has already retried do not count.
                    if try await client.retryDeadLetter(letter.id, round: letter.round) == .done { count += 1 }
                }
                page.more = page.more && !page.elements.isEmpty
            }
            outcome.show("\(count) retried at \(target.label)") { line in
                line.set("retried", count)
                line.set("target", target.label)
            }
        }
    }

    /// Retries the current dead letter, so that a repeated request after a lost reply requeues no later one.
    private func retry(_ id: EffectID, _ client: FleetClient) async throws -> FleetClient.Outcome {
        do {
            return try await client.retryDeadLetter(id, round: client.deadLetter(id).letter.round)
        } catch let error as FleetClientError where error.code == .notFound {
            // Without a letter, this reports whether the effect is pending or was retried before.
            return try await client.retryDeadLetter(id)
        }
    }
}

/// The command `mobius dead drop EFFECT…`.
struct DeadDrop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Deletes dead letters.",
        discussion: "Exit codes: 0 when all are gone; \(ClientOptions.exitCodes)")

    @Argument(help: "Effects, as LOOP/SEQUENCE/INDEX.")
    var effects: [EffectID]

    @OptionGroup var outcome: OutcomeOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func run() async throws {
        try await options.withClient { client, target in
            try await eachLetter(of: effects, at: target, outcome) { id in
                let round = try await client.deadLetter(id).letter.round
                return try await client.dropDeadLetter(id, round: round) == .done ? "dropped" : "already dropped"
            }
        }
    }
}

/// Calls `body` for each effect and prints its result; exits with 1 at the end if some are not dead letters.
private func eachLetter(
    of effects: [EffectID], at target: FleetFinder.Target, _ outcome: OutcomeOptions,
    _ body: (EffectID) async throws -> String
) async throws {
    var missing = 0
    for effect in effects {
        do {
            let words = try await body(effect)
            outcome.show("\(TerminalText.line("\(effect)")) \(words), at \(target.label)") { line in
                line.set("id", "\(effect)")
                line.set("outcome", words)
                line.set("target", target.label)
            }
        } catch let error as FleetClientError where error.code == .notFound {
            StandardError.write("\(TerminalText.line("\(effect)")) is no dead letter\n")
            missing += 1
        }
    }
    if missing > 0 { throw FleetExit(.negativeAnswer, "") }
}

extension DeadLetterSummary {
    fileprivate var jsonLine: JSONLine {
        var line = JSONLine()
        line.set("id", "\(id)")
        line.set("loop", id.loop.name)
        line.set("deadLettered", deadLettered)
        line.set("pool", pool)
        line.set("failures", failures)
        line.set("round", round)
        line.set("reason", reason)
        line.set(kind)
        line.set("size", size)
        return line
    }
}
