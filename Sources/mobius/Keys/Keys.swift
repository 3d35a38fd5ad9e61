import ArgumentParser
import MobiusProcess
import MobiusTransport

/// The command `mobius keys`.
struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes, lists and revokes the keys and tokens with which workers and clients authenticate.",
        discussion: """
            A coordinator that other hosts can reach needs keys: start it with --keys FOLDER. Each peer gets a file of \
            its own, NAME.key, with all that it needs; copy it to the peer's host confidentially (scp, a systemd \
            credential, a Kubernetes Secret), and start a worker with --key FILE, a command of mobius with --key-file \
            FILE, or either with MOBIUS_KEY=FILE. The file `allowed` in the folder lists the peers and their rights, \
            one per line; a running coordinator applies changes within a second.

            Examples:
              mobius keys new fetcher-1 --worker page-fetcher
              mobius keys new ops --client send,read,admin --output ops.key
              mobius keys token shop --rights send,models      # for HTTP
              mobius keys list
              mobius keys revoke fetcher-1
            """,
        subcommands: [KeysNew.self, KeysToken.self, KeysList.self, KeysRevoke.self])
}

/// The options shared by all commands for keys.
struct KeysOptions: ParsableArguments {
    @Option(
        name: .customLong("keys"),
        help: ArgumentHelp("The coordinator's folder of keys (default: MOBIUS_KEYS, or keys).", valueName: "folder"))
    var commandLineKeys: String?

    /// Runs `body` with the folder; a `KeyError` becomes a message and an exit code.
    func withDirectory<Value>(_ body: (KeyDirectory) throws -> Value) throws -> Value {
        do {
            return try body(KeyDirectory(try FleetEnvironment.value(commandLineKeys, "MOBIUS_KEYS", default: "keys")))
        } catch let error as KeyError {
            StandardError.write("Error: \(TerminalText.line(error.message))\n")
            throw error.exitCode
        }
    }

    /// The part of each command's `--help` about exit codes.
    static let exitCodes =
        "0; 1 the name does not exist, or is taken; 64 wrong usage; 73 the files cannot be read or written; 78 other "
        + "users may read or change them, or their content is invalid."
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
