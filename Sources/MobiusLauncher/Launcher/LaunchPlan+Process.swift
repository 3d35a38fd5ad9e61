import Foundation

extension LaunchPlan {
    /// One process to start.
    package struct Process: Equatable, Sendable {
        /// Its name in the fleet.
        package internal(set) var name: ProcessName
        /// Absolute path of the executable.
        package internal(set) var executable: String
        /// The first word of its command line; nil for the executable's path.
        package internal(set) var firstWord: String?
        /// The arguments after the executable.
        package internal(set) var arguments: [String]
        /// The variables that differ from the environment of `mobius up`.
        package internal(set) var environment: [String: String]
        /// Absolute path of its working directory; nil for that of `mobius up`.
        package internal(set) var workingDirectory: String?
        /// The style of its output lines.
        package internal(set) var style: Topology.LogStyle
        /// Its health check; a command has an absolute path.
        package let health: Topology.Health.Check?

        /// The command line as a shell would take it.
        package var commandLine: String {
            ([executable] + arguments).map(shellQuoted).joined(separator: " ")
        }

        /// The process in the output of ``LaunchPlan/text``.
        var text: String {
            var lines = ["\(name):", "  command: \(yamlQuoted(commandLine))"]
            if let workingDirectory { lines.append("  working-directory: \(yamlQuoted(workingDirectory))") }
            lines.append("  environment:")
            lines += environment.sorted { $0.key < $1.key }.map { "    \($0.key): \(yamlQuoted($0.value))" }
            return lines.map { $0 + "\n" }.joined()
        }
    }
}

/// The word, quoted if necessary, so that a POSIX shell reads it unchanged.
private func shellQuoted(_ word: String) -> String {
    let plain = word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "@%+=:,./-_".utf8.contains(byte)
        }
    }
    guard !plain || word.isEmpty else { return word }
    return "'" + word.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
}

/// The text as a double-quoted YAML scalar.
private func yamlQuoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar -> String in
        switch scalar {
        case "\"": "\\\""
        case "\\": "\\\\"
        case "\n": "\\n"
        case let other where other.value < 0x20: "\\x" + (other.value < 16 ? "0" : "") + String(other.value, radix: 16)
        default: String(scalar)
        }
    }
    return "\"\(escaped.joined())\""
}
