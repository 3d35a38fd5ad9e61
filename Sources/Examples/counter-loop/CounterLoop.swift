import ArgumentParser
import Counter
import CounterTerminal
import Logging
import MobiusCore
import MobiusProcess
import SoundPlaying

/// The first stage: the loop and its effect handler in one process.
@main struct CounterLoop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "counter-loop",
        abstract: "Counts up and down at the terminal, all in one process.",
        discussion: """
            Examples:
              counter-loop
              counter-loop --state count.json --player bell
              printf '++-' | counter-loop

            Keys, in lines: + more, - less, p pause and go on, q quit. The end of the input quits, too; so does Ctrl-C.
            """)

    @OptionGroup(title: "Counter") var terminal: TerminalOptions
    @OptionGroup(title: "Sound") var sound: SoundOptions
    @OptionGroup(title: "Logging") var logging: LoggingOptions

    static func main() async {
        StandardOutput.checkAtExit()
        await main(nil)
    }

    func run() async throws {
        try await FleetExit.reporting {
            let logger = try logging.bootstrap(label: "counter", hasTerminalView: true)
            let screen = Screen()
            let sounds = SoundsUnderWay(sound.soundPlayer) { played in
                if played == .nothing { screen.say("(a sound)") }
            }
            let effectHandler = EffectRouter<Counter.Effect, Counter.Event>()
                .routeCase(Counter.Effect.playSound).to { _ in sounds.begin() }
            let loop = Mobius.loop(Counter.self, effectHandler: effectHandler)
            try await FleetServices.run([CounterApp(loop, on: screen, state: terminal.state)], logger: logger)
            // That of the last key, too.
            await sounds.finished()
        }
    }
}
