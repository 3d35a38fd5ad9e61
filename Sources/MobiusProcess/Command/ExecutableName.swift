/// The name under which this process was started.
public enum ExecutableName {
    /// The last component of the command line's first word, such as `greeter-coordinator`; `mobius` if there is none.
    public static let current = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "mobius"

    /// The text that `--version` prints: the executable and the version of Mobius Fleet in it.
    package static var version: String { "\(current) (Mobius Fleet \(FleetVersion.current))" }
}
