import ArgumentParser
import MobiusProcess

/// The commands of `mobius` that open journals; `mobius` runs this executable for them.
@main
struct MobiusJournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mobius",
        abstract: "The commands `mobius journal` and `mobius cluster`; run them through `mobius`.",
        version: FleetVersion.current,
        subcommands: [JournalCommand.self, ClusterCommand.self])

    static func main() async {
        StandardOutput.checkAtExit()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let unknown = UnknownCommand(arguments, of: self) {
            StandardError.write("Error: \(unknown.sentence)\n")
            exit(withError: ExitCode.usage)
        }
        await main(arguments)
    }
}
