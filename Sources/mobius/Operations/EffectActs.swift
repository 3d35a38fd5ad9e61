import ArgumentParser
import MobiusClient
import MobiusLauncher
import MobiusProcess
import MobiusWire

/// What the acts of operators on pending effects have in common.
struct ActOptions: ParsableArguments {
    @Argument(help: "The effect, as LOOP/SEQUENCE/INDEX.")
    var effect: EffectID

    @Option(help: ArgumentHelp("The reason, which the loop's history keeps with who asked.", valueName: "text"))
    var why: String

    @OptionGroup var outcome: OutcomeOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func run(_ done: String, _ act: (FleetClient) async throws -> FleetClient.Outcome) async throws {
        try await options.withClient { client, target in
            let words = try await act(client) == .done ? done : "was \(done), or has ended, before"
            outcome.show("\(TerminalText.line("\(effect)")) \(words), at \(target.label)") { line in
                line.set("id", "\(effect)")
                line.set("outcome", words)
                line.set("target", target.label)
            }
        }
    }

    static let exitCodes = "Exit codes: 0 when it is done and on disk; \(ClientOptions.exitCodes)"
}

/// The command `mobius effects cancel EFFECT --why TEXT`.
struct EffectsCancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Ends a pending effect without an event.",
        discussion: """
            Its worker is told, and what that reports later is not applied. The loop gets no event of it: if it waits for the outcome, \
            use `fail` or `complete`.

            \(ActOptions.exitCodes)
            """)

    @OptionGroup var act: ActOptions

    func run() async throws {
        try await act.run("cancelled") { try await $0.cancelEffect(act.effect, why: act.why) }
    }
}

/// The command `mobius effects fail EFFECT --why TEXT`.
struct EffectsFail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fail", abstract: "Fails a pending effect for good, so that its loop goes on.",
        discussion: """
            The effect's route makes an event of the failure, with the reason, as if all attempts had failed. It becomes a dead letter \
            where its policy keeps those.

            \(ActOptions.exitCodes)
            """)

    @OptionGroup var act: ActOptions

    func run() async throws {
        try await act.run("failed") { try await $0.failEffect(act.effect, why: act.why) }
    }
}

/// The command `mobius effects complete EFFECT --event JSON --why TEXT`.
struct EffectsComplete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "complete", abstract: "Ends a pending effect with an event, as if its handler had sent it.",
        discussion: """
            For work that was done by hand. `mobius events` shows the forms of events; one that the program cannot read changes nothing.

            \(ActOptions.exitCodes)
            """)

    @Option(help: ArgumentHelp("An event of the effect's program, in JSON.", valueName: "json"))
    var event: String

    @OptionGroup var act: ActOptions

    func run() async throws {
        try await act.run("completed") {
            try await $0.completeEffect(act.effect, with: Array(event.utf8), why: act.why)
        }
    }
}

/// The command `mobius effects fire EFFECT --why TEXT`.
struct EffectsFire: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fire", abstract: "Fires a pending timer now.",
        discussion: """
            A repeating timer goes on from there: `.every` one interval later, `.cron` at its next time.

            \(ActOptions.exitCodes)
            """)

    @OptionGroup var act: ActOptions

    func run() async throws {
        try await act.run("fired") { try await $0.fireTimer(act.effect, why: act.why) }
    }
}
