import ArgumentParser
import MobiusLauncher
import MobiusProcess

/// The command line of Mobius Fleet.
@main
struct Mobius: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mobius",
        abstract: "Runs and operates fleets: one coordinator and its pools of workers.",
        version: FleetVersion.current,
        subcommands: [
            Up.self, Scale.self, Replace.self, Restart.self, Status.self, Send.self, ShowModel.self,
            WatchModel.self, ListLoops.self, ShowHistory.self, Export.self, ViewCommand.self, ListEvents.self,
            Effects.self, EndLoop.self, Pools.self,
            Dead.self, Quarantine.self, Compare.self, CheckEvolution.self, JournalCommand.self, ClusterCommand.self,
            ServeCommand.self,
            Keys.self, Version.self,
        ])

    /// Handles hidden commands before ArgumentParser, which must not interpret the arguments of the command that the
    /// shim executes.
    static func main() async {
        StandardOutput.checkAtExit()
        let arguments = Array(CommandLine.arguments.dropFirst())
        HiddenCommand.run(arguments)
        do {
            try Subcommand.run(arguments, besides: UnknownCommand.names(of: self))
        } catch {
            exit(withError: error.report())
        }
        if let unknown = UnknownCommand(arguments, of: self) {
            StandardError.write("Error: \(unknown.sentence)\n")
            exit(withError: ExitCode.usage)
        }
        await main(arguments)
    }
}

/// The command `mobius version`.
struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints the version.")

    @OptionGroup var outcome: OutcomeOptions

    func run() {
        outcome.show("mobius \(FleetVersion.current)") { $0.set("version", FleetVersion.current) }
    }
}
