import ArgumentParser
import Foundation
import MobiusProcess

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A subcommand that is an executable of its own: `mobius NAME` runs `mobius-NAME`, as git runs its subcommands.
///
/// It is looked for beside this executable, then in the PATH.
enum Subcommand {
    /// Those that belong to Mobius Fleet, with the executable that has them.
    static let known = [
        "journal": "mobius-journal", "cluster": "mobius-journal", "serve": "mobius-serve", "view": "mobius-serve",
    ]

    /// The options with which some of them are built.
    private static let traits = ["mobius-serve": "--traits HTTP "]

    /// Becomes the executable if the arguments name one; returns if they do not.
    ///
    /// - Throws: ``FleetExit`` when it is one of ours and is not there, or when it cannot be run.
    static func run(_ arguments: [String], besides own: [String]) throws(FleetExit) {
        let isHelp = arguments.first == "help"
        guard let name = arguments.dropFirst(isHelp ? 1 : 0).first, isName(name) else { return }
        if let executable = known[name] {
            guard let path = path(of: executable) else {
                throw FleetExit(
                    .unavailable,
                    "mobius \(name) needs the executable \(executable), which is neither beside this one nor in the PATH: build "
                        + "it with 'Deploy/build \(traits[executable] ?? "")--product \(executable)' in a clone, or install it."
                )
            }
            // mobius-serve is `mobius serve` without a name, and its help is an option.
            let rest = isHelp ? ["--help"] : Array(arguments.dropFirst())
            switch name {
            case "serve": throw become(path, rest)
            case "view": throw become(path, [name] + rest)
            default: throw become(path, arguments)
            }
        } else if !own.contains(name), let path = path(of: "mobius-\(name)") {
            throw become(path, isHelp ? ["--help"] : Array(arguments.dropFirst()))
        }
    }

    private static func isName(_ word: String) -> Bool {
        !word.isEmpty && word.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }
            && !word.hasPrefix("-")
    }

    private static func path(of executable: String) -> String? {
        let own = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent().path
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return ([own].compactMap(\.self) + folders).map { "\($0)/\(executable)" }
            .first { path in
                var isFolder: ObjCBool = false
                return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
                    && FileManager.default.isExecutableFile(atPath: path)
            }
    }

    /// Returns only if the system refuses, with what to tell.
    private static func become(_ path: String, _ arguments: [String]) -> FleetExit {
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        execv(path, &words)
        let reason = String(cString: strerror(errno))
        for word in words { free(word) }
        return FleetExit(.unavailable, "\(path) cannot be run: \(reason).")
    }
}

/// Stands for `mobius journal` in the list of commands.
struct JournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Reads, verifies and copies a journal, whether a coordinator has it open or not.")
}

/// Stands for `mobius cluster` in the list of commands.
struct ClusterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Makes and shows the shards of a journal in PostgreSQL, and says which coordinator runs which.")
}

/// Stands for `mobius view` in the list of commands.
struct ViewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view", abstract: "Shows an export of loops in a browser.")
}

/// Stands for `mobius serve` in the list of commands.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serves the loops of a fleet over HTTP, and shows them in a browser.")
}
