import ArgumentParser
import MobiusProcess
import MobiusTransport

/// The command `mobius keys new NAME`.
struct KeysNew: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Makes a key for a worker or a client, and allows it to connect.",
        discussion: """
            Writes one file, readable by its owner only, with the peer's own key pair and the coordinator's public \
            key. The first use also makes the coordinator's key pair.

            Exit codes: \(KeysOptions.exitCodes)

            Examples:
              mobius keys new fetcher-1 --worker page-fetcher --worker report-writer
              mobius keys new shop --client send
              mobius keys new ops --client send,read,admin --output ops.key
            """)

    @Argument(help: "The peer's name: letters, digits, '-', '_' and '.'.")
    var name: String

    @Option(
        name: .customLong("worker"), parsing: .singleValue,
        help: ArgumentHelp("A pool it may work for; '*' for all. May be repeated.", valueName: "pool"))
    var pools: [String] = []

    @Option(
        name: .customLong("client"),
        help: ArgumentHelp(
            "What it may do as a client: send events; read status, effects and dead letters with their content; models: "
                + "read models and histories; unmasked: also what the program masks; admin: retry, drop and release; "
                + "serve: pass on requests with tokens, as `mobius serve` does.",
            valueName: "send,read,models,unmasked,admin,serve"))
    var client: String?

    @Option(help: ArgumentHelp("Where to write the key (default: NAME.key in the folder).", valueName: "file"))
    var output: String?

    @OptionGroup var outcome: OutcomeOptions
    @OptionGroup var options: KeysOptions

    func validate() throws {
        guard PeerName.isName(name) else { throw ValidationError("'\(name)' is no name: \(PeerName.rule).") }
        _ = try rights()
    }

    private func rights() throws -> Rights {
        var words: [Substring] = []
        if !pools.isEmpty { words.append("worker=\(pools.joined(separator: ","))") }
        if let client { words.append("client=\(client)") }
        guard !words.isEmpty else {
            throw ValidationError(
                "Say what it may do: --worker POOL, --client send,read,models,unmasked,admin,serve, or both.")
        }
        do throws(Rights.Problem) {
            return try Rights(words: words)
        } catch {
            throw ValidationError("\(error.sentence).")
        }
    }

    func run() throws {
        let rights = try rights()
        try options.withDirectory { keys in
            let file = output ?? keys.path(ofKey: name)
            let key = try keys.add(name, rights, file: file)
            outcome.show("\(file): \(name), \(rights.text), public key \(key.publicKey)") { line in
                line.set("name", name)
                line.set("publicKey", key.publicKey)
                line.set(rights)
                line.set("file", file)
            }
        }
    }
}
