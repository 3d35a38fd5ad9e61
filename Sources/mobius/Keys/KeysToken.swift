import ArgumentParser
import MobiusProcess
import MobiusTransport

/// The command `mobius keys token NAME`.
struct KeysToken: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Makes a token for a client that uses HTTP, and allows it to connect.",
        discussion: """
            Writes one file with the token, readable by its owner only; the allow-list gets its hash only, so a lost token \
            cannot be shown again: revoke it and make another. A client sends it in each request: \
            `Authorization: Bearer TOKEN`. Tokens pass the network as they are: outside of this machine put a proxy with \
            TLS in front of the coordinator.

            Exit codes: \(KeysOptions.exitCodes)

            Do not write the token into a command line, which every user of the machine can read: give curl its header by \
            standard input, as below, or from a file.

            Examples:
              mobius keys token shop --rights send,models
              sed 's/^/Authorization: Bearer /' keys/shop.token | curl -H @- http://127.0.0.1:9464/loops/main
            """)

    @Argument(help: "The client's name: letters, digits, '-', '_' and '.'.")
    var name: String

    @Option(
        help: ArgumentHelp(
            "What it may do: send events; read the names of loops; models: read models and histories; unmasked: also "
                + "what the program masks.", valueName: "send,read,models,unmasked"))
    var rights: String

    @Option(help: ArgumentHelp("Where to write the token (default: NAME.token in the folder).", valueName: "file"))
    var output: String?

    @OptionGroup var outcome: OutcomeOptions
    @OptionGroup var options: KeysOptions

    func validate() throws {
        guard PeerName.isName(name) else { throw ValidationError("'\(name)' is no name: \(PeerName.rule).") }
        _ = try clientRights()
    }

    private func clientRights() throws -> Set<Rights.Client> {
        do throws(Rights.Problem) {
            return try Rights(words: ["client=\(rights)"]).client
        } catch {
            throw ValidationError("\(error.sentence).")
        }
    }

    func run() throws {
        let rights = try clientRights()
        try options.withDirectory { keys in
            let file = output ?? keys.path(ofToken: name)
            let entry = try keys.addToken(name, rights, file: file)
            outcome.show("\(file): \(name), \(entry.rights.text), a token for HTTP") { line in
                line.set("name", name)
                line.set("tokenHash", entry.publicKey)
                line.set(entry.rights)
                line.set("file", file)
            }
        }
    }
}
