import ArgumentParser
import MobiusCommand
import MobiusKeys

/// The command `mobius keys`.
struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes, lists and revokes the keys with which workers and clients prove themselves.",
        discussion: """
            A coordinator that other hosts can reach needs keys: start it with --keys FOLDER. Each peer gets a file of its own, \
            NAME.key, which holds all that it needs; bring it to the peer's host in secret (scp, a systemd credential, a \
            Kubernetes Secret), and start a worker with --key FILE, a command of mobius with --key-file FILE, or either with \
            MOBIUS_KEY=FILE. Who may come, and what for, stands in the file `allowed` \
            in the folder, a line each; a running coordinator follows its changes within a second.

            Examples:
              mobius keys new fetcher-1 --worker page-fetcher
              mobius keys new ops --client send,read,admin --output ops.key
              mobius keys list
              mobius keys revoke fetcher-1
            """,
        subcommands: [KeysNew.self, KeysList.self, KeysRevoke.self])
}

/// The options of all commands for keys.
struct KeysOptions: ParsableArguments {
    @Option(
        name: .customLong("keys"),
        help: ArgumentHelp("The coordinator's folder of keys (default: MOBIUS_KEYS, or keys).", valueName: "folder"))
    var commandLineKeys: String?

    /// Works on the folder; what goes wrong becomes a sentence and an exit code.
    func withDirectory<Value>(_ body: (KeyDirectory) throws -> Value) throws -> Value {
        do {
            return try body(KeyDirectory(try FleetEnvironment.value(commandLineKeys, "MOBIUS_KEYS", default: "keys")))
        } catch let error as KeyError {
            StandardError.write("Error: \(TerminalText.line(error.message))\n")
            throw error.exitCode
        }
    }

    /// What `--help` of each such command says about its exit codes.
    static let exitCodes =
        "0; 1 there is no such name, or it is taken; 64 wrong usage; 73 the files cannot be read or written; 78 others may "
        + "read or change them, or they make no sense."
}

extension KeyError {
    fileprivate var exitCode: ExitCode {
        switch code {
        case .unknown, .exists: .negativeAnswer
        case .file: .cannotCreate
        default: .configuration
        }
    }
}
