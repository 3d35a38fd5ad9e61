package import ArgumentParser
import MobiusCodec

/// A command line that names a subcommand which does not exist, at any level.
package struct UnknownCommand {
    /// The problem, with the nearest name.
    package let sentence: String

    /// Finds the unknown subcommand; nil when all are known, or the place of one is empty.
    package init?(_ arguments: [String], of root: any ParsableCommand.Type) {
        var words = arguments
        // `mobius help dead retry` names commands, too.
        if words.first == "help" { words.removeFirst() }
        var command = root
        var path = Self.name(of: root)
        while let word = words.first, !word.hasPrefix("-"), !command.configuration.subcommands.isEmpty {
            let known = command.configuration.subcommands
            guard let next = known.first(where: { Self.name(of: $0) == word }) else {
                let names = Self.names(of: command)
                let meant = NearestName.of(word, in: names).map { "Did you mean '\($0)'? " } ?? ""
                sentence =
                    "\(path) has no command '\(TerminalText.line(word))'. \(meant)"
                    + "It has: \(names.joined(separator: ", "))."
                return
            }
            path += " \(word)"
            (command, words) = (next, Array(words.dropFirst()))
        }
        return nil
    }

    /// The names of a command's subcommands.
    package static func names(of root: any ParsableCommand.Type) -> [String] {
        root.configuration.subcommands.map { name(of: $0) }
    }

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? String(describing: command).lowercased()
    }
}
