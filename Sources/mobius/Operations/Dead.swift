import ArgumentParser
import MobiusClient
import MobiusLauncher
import MobiusProcess

/// The command `mobius dead`.
struct Dead: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows effects that failed for good, and retries or drops them.",
        discussion: """
            An effect that has used up its attempts becomes a dead letter, which stays in the journal until it is \
            retried or dropped.

            Examples:
              mobius dead list
              mobius dead list order/
              mobius dead show main/17/0
              mobius dead retry main/17/0 main/18/2
              mobius dead retry --all --loop shop/42
              mobius dead retry --all --prefix order/
              mobius dead drop main/17/0
              mobius dead drop --all --loop shop/42
            """,
        subcommands: [DeadList.self, DeadShow.self, DeadRetry.self, DeadDrop.self])
}

/// The command `mobius dead list`.
struct DeadList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists dead letters.",
        discussion: "Exit codes: 0, also when there are none; \(ClientOptions.exitCodes)")

    @Argument(
        help: ArgumentHelp(
            "Only those of loops whose names begin so, such as order/ for one kind of loops.", valueName: "prefix"))
    var prefix = ""

    @Option(help: ArgumentHelp("Only those of this loop.", valueName: "loop"))
    var loop: LoopID?

    @OptionGroup var list: ListOptions
    @OptionGroup var width: WidthOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func run() async throws {
        try await options.withClient { client, _ in
            let letters = try await list.collect { after, limit in
                try await client.deadLetters(loop: loop, prefix: prefix, after: after, limit: limit)
            } id: {
                $0.id
            }
            if list.json { return letters.elements.forEach { print(JSONLine($0).text) } }
            guard !letters.elements.isEmpty else {
                return print(prefix.isEmpty ? "There are no dead letters." : "There are no such dead letters.")
            }
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
                return print(JSONLine(letter, effect).text)
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
            dropped one, is not a dead letter. The letters of a loop that has ended, or is held, cannot be retried: \
            they are listed with the reason, and all others are retried.

            Exit codes: 0 when each is pending again, or was retried before; with --all 3 when some could not be \
            retried; \(ClientOptions.exitCodes)
            """)

    @OptionGroup var letters: LetterSelection
    @OptionGroup var outcome: OutcomeOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func run() async throws {
        try await options.withClient { client, target in
            let act = LetterAct(client: client, target: target, outcome: outcome, verb: "retried")
            try await act.run(on: letters) { id in
                try await retry(id, client) == .done ? "retried" : "is pending, or was retried before"
            } each: { letter in
                // Letters that another operator has already retried do not count.
                try await client.retryDeadLetter(letter.id, round: letter.round) == .done
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
        discussion: """
            What could not be dropped is listed with the reason, and all others are dropped.

            Also an event for a loop of another shard that the coordinator there refuses because its build cannot read it, which \
            mobius effects shows; name it.

            Exit codes: 0 when all are gone; with --all 3 when some could not be dropped; \(ClientOptions.exitCodes)
            """)

    @OptionGroup var letters: LetterSelection
    @OptionGroup var outcome: OutcomeOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func run() async throws {
        try await options.withClient { client, target in
            let act = LetterAct(client: client, target: target, outcome: outcome, verb: "dropped")
            try await act.run(on: letters) { id in
                try await drop(id, client) == .done ? "dropped" : "already dropped"
            } each: { letter in
                try await client.dropDeadLetter(letter.id, round: letter.round) == .done
            }
        }
    }

    private func drop(_ id: EffectID, _ client: FleetClient) async throws -> FleetClient.Outcome {
        do {
            return try await client.dropDeadLetter(id, round: client.deadLetter(id).letter.round)
        } catch let error as FleetClientError where error.code == .notFound {
            // An event for another loop may be refused there by another build.
            return try await client.dropDeadLetter(id)
        }
    }
}

/// The dead letters that a command is for: those that are named, or all.
struct LetterSelection: ParsableArguments {
    @Argument(help: "Effects, as LOOP/SEQUENCE/INDEX.")
    var effects: [EffectID] = []

    @Flag(help: "All current dead letters.")
    var all = false

    @Option(help: ArgumentHelp("With --all: those of this loop.", valueName: "loop"))
    var loop: LoopID?

    @Option(
        help: ArgumentHelp(
            "With --all: those of loops whose names begin so, such as order/ for one kind of loops.",
            valueName: "text"))
    var prefix: String?

    func validate() throws {
        guard all == effects.isEmpty else { throw ValidationError("Name effects, or give --all, and not both.") }
        guard all || loop == nil else { throw ValidationError("--loop goes with --all.") }
        guard all || prefix == nil else { throw ValidationError("--prefix goes with --all.") }
    }
}

/// Does the same to several dead letters: what cannot be done to one is listed, and does not stop it.
private struct LetterAct {
    let client: FleetClient
    let target: FleetFinder.Target
    let outcome: OutcomeOptions
    /// The verb for the action, as a participle.
    let verb: String

    /// Runs it, and prints what became of the letters.
    ///
    /// - Parameters:
    ///   - named: Does it to a letter that the operator named; returns the outcome in words.
    ///   - each: Does it to one of all letters; returns whether it did anything.
    /// - Throws: `FleetExit` 1 when some of the named letters, 3 when some of all could not be done; the first error that
    ///   concerns more than one letter, after the outcome of the letters before it.
    func run(
        on letters: LetterSelection, named: (EffectID) async throws -> String,
        each: (DeadLetterSummary) async throws -> Bool
    ) async throws {
        var failures = 0
        if letters.all {
            var count = 0
            let end = await Result.catching { try await all(of: letters, &count, &failures, each) }
            let rest = failures == 0 ? "" : ", \(failures) could not be"
            outcome.show("\(count) \(verb)\(rest), at \(target.label)") { line in
                line.set(verb, count)
                line.set("failed", failures)
                line.set("target", target.label)
            }
            try end.get()
            if failures > 0 { throw FleetExit(.partial, "") }
        } else {
            for effect in letters.effects {
                try await attempt(effect, &failures) {
                    let words = try await named(effect)
                    outcome.show("\(TerminalText.line("\(effect)")) \(words), at \(target.label)") { line in
                        line.set("id", "\(effect)")
                        line.set("outcome", words)
                        line.set("target", target.label)
                    }
                }
            }
            if failures > 0 { throw FleetExit(.negativeAnswer, "") }
        }
    }

    private func all(
        of letters: LetterSelection, _ count: inout Int, _ failures: inout Int,
        _ each: (DeadLetterSummary) async throws -> Bool
    ) async throws {
        let prefix = letters.prefix ?? ""
        var page = FleetPage<DeadLetterSummary>([], more: true)
        while page.more {
            page = try await client.deadLetters(
                loop: letters.loop, prefix: prefix, after: page.elements.last?.id)
            // A coordinator of an earlier version lists all.
            for letter in page.elements where letter.id.loop.name.utf8.starts(with: prefix.utf8) {
                try await attempt(letter.id, &failures) { if try await each(letter) { count += 1 } }
            }
            page.more = page.more && !page.elements.isEmpty
        }
    }

    /// Counts and prints a failure that concerns this letter alone.
    private func attempt(_ id: EffectID, _ failures: inout Int, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as FleetClientError where error.code == .notFound || error.code == .refused {
            let reason = error.code == .notFound ? " is no dead letter" : ": \(error.message)"
            StandardError.write(TerminalText.line("\(id)\(reason)") + "\n")
            failures += 1
        }
    }
}

extension Result where Success == Void, Failure == any Error {
    fileprivate static func catching(_ body: () async throws -> Void) async -> Result {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
