import ArgumentParser
import MobiusCommand
import MobiusLauncher

/// The command line of Mobius Fleet.
@main
struct Mobius: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mobius",
        abstract: "Runs fleets, one coordinator and its pools of workers, and looks after them.",
        version: FleetVersion.current,
        subcommands: [
            Up.self, Scale.self, Replace.self, Status.self, Send.self, Effects.self, Dead.self, Quarantine.self,
            JournalCommand.self, Keys.self, Version.self,
        ])

    /// Begins before ArgumentParser, which must not interpret the arguments of the commands that the shim becomes.
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        HiddenCommand.run(arguments)
        await main(arguments)
    }
}

/// The command `mobius version`.
struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints the version.")

    func run() {
        print("mobius \(FleetVersion.current)")
    }
}
