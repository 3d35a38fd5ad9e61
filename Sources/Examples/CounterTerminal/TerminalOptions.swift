public import ArgumentParser

/// The options of the commands that run the counter in a controller.
public struct TerminalOptions: ParsableArguments, Sendable {
    /// The path as given on the command line; nil when absent.
    @Option(
        name: .customLong("state"),
        help: ArgumentHelp(
            "Start from the model in this file, and save it there at each pause and at the end (default: start at 0).",
            valueName: "file"))
    public var statePath: String?

    /// Made by ArgumentParser.
    public init() {}

    /// The file of the model between runs; nil without one.
    public var state: StateFile? { statePath.map(StateFile.init(path:)) }
}
