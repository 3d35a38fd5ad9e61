import ArgumentParser
import MobiusClient
import MobiusLauncher
import MobiusProcess
import MobiusWire

/// The command `mobius end LOOP --why TEXT`.
struct EndLoop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "Ends a loop for good.",
        discussion: """
            It ends as by an effect with the route .endsLoop(): its pending effects end without events, their workers are told, and \
            events that it has sent to other loops are delivered. Later events for it are refused for as long as the \
            coordinator keeps ended loops; its last model and its history can be read.

            A loop that is held must be released before: see `mobius quarantine`. One that has ended already is refused, also if it may begin \
            again: end it when it has begun again.

            Exit codes: 0 when it is done and on disk; \(ClientOptions.exitCodes)
            """)

    @Argument(help: "The loop.")
    var loop: LoopID

    @Option(help: ArgumentHelp("The reason, which the loop's history keeps with who asked.", valueName: "text"))
    var why: String

    @OptionGroup var outcome: OutcomeOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func run() async throws {
        try await options.withClient { client, target in
            let words = try await client.end(loop, why: why) == .done ? "ended" : "has ended before"
            outcome.show("\(TerminalText.line(loop.name)) \(words), at \(target.label)") { line in
                line.set("loop", loop.name)
                line.set("outcome", words)
                line.set("target", target.label)
            }
        }
    }
}
