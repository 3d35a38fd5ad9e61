import ArgumentParser
import MobiusProcess
import MobiusTransport

/// The command `mobius keys list`.
struct KeysList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the peers that may connect, and their rights.",
        discussion: "Exit codes: \(KeysOptions.exitCodes)")

    @Flag(help: "One JSON object per line instead of a table.")
    var json = false

    @OptionGroup var options: KeysOptions

    func run() throws {
        let list = try options.withDirectory { try $0.allowList() }
        if json { return list.entries.forEach { print($0.jsonLine.text) } }
        guard !list.entries.isEmpty else { return print("No peer may connect.") }
        var table = Table("NAME", "PUBLIC KEY", "RIGHTS")
        for entry in list.entries {
            table.add(entry.name, entry.isToken ? "(a token for HTTP)" : entry.publicKey, entry.rights.text)
        }
        table.print()
    }
}

extension AllowList.Entry {
    /// The entry as a JSON object.
    fileprivate var jsonLine: JSONLine {
        var line = JSONLine()
        line.set("name", name)
        line.set(isToken ? "tokenHash" : "publicKey", publicKey)
        line.set(rights)
        return line
    }
}

extension JSONLine {
    /// Sets what a peer may do.
    mutating func set(_ rights: Rights) {
        switch rights.pools {
        case .all: set("worker", ["*"])
        case .these(let pools): set("worker", pools.sorted())
        }
        set("client", Rights.Client.allCases.filter(rights.client.contains).map(\.rawValue))
    }
}

/// The command `mobius keys revoke NAME`.
struct KeysRevoke: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revokes a peer's key.",
        discussion: """
            A running coordinator ends the peer's connections within seconds; the effects of its workers go to other \
            workers. Copies of the key or token are rejected from then on, and the one in the folder is deleted.

            Exit codes: \(KeysOptions.exitCodes)
            """)

    @Argument(help: "The peer's name.")
    var name: String

    @OptionGroup var outcome: OutcomeOptions
    @OptionGroup var options: KeysOptions

    func run() throws {
        let entry = try options.withDirectory { try $0.revoke(name) }
        let what = entry.isToken ? "token" : "key \(entry.publicKey)"
        outcome.show("\(entry.name) is revoked: its \(what) is not admitted any more") { line in
            line.set("revoked", entry.name)
            line.set(entry.isToken ? "tokenHash" : "publicKey", entry.publicKey)
        }
    }
}
