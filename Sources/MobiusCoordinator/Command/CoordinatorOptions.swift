public import ArgumentParser
import MobiusCommand

/// The options that every coordinator has.
public struct CoordinatorOptions: ParsableArguments {
    /// The endpoint as given on the command line; nil when absent.
    @Option(
        name: .customLong("bind"),
        help: ArgumentHelp(
            "Where workers reach this coordinator (default: MOBIUS_BIND, or \(CoordinatorSettings.defaultEndpoint)).",
            valueName: "endpoint"))
    public var commandLineBind: String?

    /// The journal as given on the command line; nil when absent.
    @Option(
        name: .customLong("journal"),
        help: ArgumentHelp(
            "The file in which every event is kept, or `none` (default: MOBIUS_JOURNAL, or NAME.journal here).",
            valueName: "file"))
    public var commandLineJournal: String?

    /// Made by ArgumentParser.
    public init() {}

    /// The settings in force for a program of this name.
    public func settings(name: String) throws -> CoordinatorSettings {
        let bind = try FleetEnvironment.value(
            commandLineBind, "MOBIUS_BIND", default: CoordinatorSettings.defaultEndpoint)
        let journal = try FleetEnvironment.value(commandLineJournal, "MOBIUS_JOURNAL", default: "\(name).journal")
        return CoordinatorSettings(name: name, bind: bind, journal: journal == "none" ? .none : .file(journal))
    }
}
