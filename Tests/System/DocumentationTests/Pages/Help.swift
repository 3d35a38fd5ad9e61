import FleetTestSupport
import Foundation

/// What a command says of itself: `--experimental-dump-help`, as far as the reference shows it.
struct Help: Decodable {
    struct Command: Decodable {
        let commandName: String
        let abstract: String?
        let defaultSubcommand: String?
        let subcommands: [Command]?
        let arguments: [Argument]?
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String
        }

        let kind: String
        let names: [Name]?
        let valueName: String?
        let defaultValue: String?
        let abstract: String?
        let sectionTitle: String?
        let isRepeating: Bool
        let shouldDisplay: Bool
    }

    let command: Command

    /// `mobius`, with the commands that other executables have for it in their places.
    static func ofMobius() async throws -> Command {
        let (own, journals) = (try await of("mobius").command, try await of("mobius-journal").command)
        let serve = try await of("mobius-serve").command
        let server = Command(
            commandName: "serve", abstract: serve.abstract, defaultSubcommand: nil, subcommands: nil,
            arguments: serve.arguments)
        let others = (journals.subcommands ?? []) + [server]
        let all = own.subcommands?.map { command in others.first { $0.commandName == command.commandName } ?? command }
        return Command(
            commandName: own.commandName, abstract: own.abstract, defaultSubcommand: own.defaultSubcommand,
            subcommands: all, arguments: own.arguments)
    }

    static func of(_ executable: String) async throws -> Help {
        let process = try TestProcess(executable, ["--experimental-dump-help"])
        _ = try await process.end()
        let text = process.output.elements.joined(separator: "\n")
        return try JSONDecoder().decode(Help.self, from: Data(text.utf8))
    }

    /// A section per command that does something, with its arguments.
    static func sections(of command: Command, below path: String = "", isDefault: Bool = false) -> [String] {
        let name = path.isEmpty ? command.commandName : "\(path) \(command.commandName)"
        let subcommands = (command.subcommands ?? []).filter { $0.commandName != "help" }
        if !subcommands.isEmpty {
            return subcommands.flatMap {
                sections(of: $0, below: name, isDefault: $0.commandName == command.defaultSubcommand)
            }
        }
        let rows = (command.arguments ?? []).compactMap(\.row)
        let note = isDefault ? " `\(path)` alone means the same." : ""
        return ["#### \(name)", "", (command.abstract ?? "") + note, ""]
            + (rows.isEmpty ? [] : ["| Argument | Meaning |", "| --- | --- |"] + rows + [""])
    }

    /// The names of all commands and the options of each, for what other pages say of them.
    static func commands(of command: Command, below path: String = "") -> [String: Set<String>] {
        let name = path.isEmpty ? command.commandName : "\(path) \(command.commandName)"
        let implied = command.subcommands?.first { $0.commandName == command.defaultSubcommand }
        let arguments = (command.arguments ?? []) + (implied?.arguments ?? [])
        let options = arguments.flatMap { $0.names ?? [] }.map(\.text)
        return (command.subcommands ?? []).reduce(into: [name: Set(options)]) { all, subcommand in
            all.merge(commands(of: subcommand, below: name)) { $0.union($1) }
        }
    }
}

extension Help.Argument {
    /// A row of the reference; none for what every command has.
    var row: String? {
        guard shouldDisplay, names?.contains(where: { ["help", "version"].contains($0.name) }) != true else {
            return nil
        }
        let value = valueName.map { " <\($0)>" } ?? ""
        let title: String
        switch kind {
        case "positional": title = "<\(valueName ?? "")>"
        case "option": title = spelling + value
        default: title = spelling
        }
        let initial = defaultValue.map { " (default: \($0))" } ?? ""
        let text = (abstract ?? "") + ((abstract ?? "").contains("(default:") ? "" : initial)
        let meaning = text.replacing("|", with: "\\|").replacing("\n", with: " ")
        return "| `\(title)`\(isRepeating ? " …" : "") | \(meaning) |"
    }

    private var spelling: String { (names ?? []).map(\.text).joined(separator: ", ") }
}

extension Help.Argument.Name {
    var text: String { kind == "short" ? "-\(name)" : "--\(name)" }
}
