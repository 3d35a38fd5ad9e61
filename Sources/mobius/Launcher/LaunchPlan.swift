import Foundation
import MobiusCommand
import MobiusWire

/// Everything that is needed to start the processes of a fleet: commands found, environments complete.
package struct LaunchPlan: Equatable, Sendable {
    /// One process to be.
    package struct Process: Equatable, Sendable {
        /// Its name in the fleet.
        package let name: ProcessName
        /// Absolute path of the executable.
        package let executable: String
        /// The arguments after the executable.
        package let arguments: [String]
        /// What differs from the environment of `mobius up`.
        package let environment: [String: String]

        /// The command line as a shell would take it.
        package var commandLine: String {
            ([executable] + arguments).map(shellQuoted).joined(separator: " ")
        }
    }

    /// The coordinator.
    package let coordinator: Process
    /// The workers, pool by pool in the order of the file.
    package let workers: [Process]
    /// Where they meet.
    package let endpoint: String
    /// Where clients reach the coordinator; nil for nowhere.
    package let clientEndpoint: String?

    /// Finds the commands and completes the environments.
    ///
    /// - Parameters:
    ///   - topology: The fleet.
    ///   - endpoint: Where coordinator and workers meet.
    ///   - extraArguments: Added to the coordinator's command.
    ///   - finder: Looks commands up.
    /// - Throws: `FleetExit` 69 naming the first command that cannot be started.
    package init(
        _ topology: Topology, endpoint: String, coordinatorArguments extraArguments: [String], finder: CommandFinder
    ) throws {
        self.endpoint = endpoint
        let clientEndpoint = topology.clientEndpoint(beside: endpoint)
        self.clientEndpoint = clientEndpoint
        // The processes of a fleet may be clients of it, too.
        let forAll = clientEndpoint.map { ["MOBIUS_CONNECT_CLIENT": $0] } ?? [:]
        let forCoordinator = forAll.merging([
            "MOBIUS_BIND": endpoint, "MOBIUS_CLIENT_BIND": clientEndpoint ?? "none",
        ]) { $1 }
        coordinator = Process(
            name: .coordinator(topology.name),
            executable: try finder.find(topology.coordinator.command[0], key: "coordinator"),
            arguments: topology.coordinator.command.dropFirst() + extraArguments,
            environment: topology.coordinator.environment.merging(forCoordinator) { $1 })
        workers = try topology.pools.flatMap { pool in
            let executable = try finder.find(pool.command[0], key: "pools.\(pool.name)")
            var environment = pool.environment.merging(forAll) { $1 }
            environment["MOBIUS_CONNECT"] = endpoint
            if let concurrency = pool.concurrency {
                environment["MOBIUS_CONCURRENCY"] = "\(concurrency)"
            }
            return (0..<pool.replicas).map { index in
                Process(
                    name: .worker(pool: pool.name, index: index + 1), executable: executable,
                    arguments: Array(pool.command.dropFirst()), environment: environment)
            }
        }
    }

    /// What `--dry-run` prints: every process with its command line and its environment, valid YAML.
    package var text: String {
        ([coordinator] + workers).map { process in
            let variables = process.environment.sorted { $0.key < $1.key }.map {
                "    \($0.key): \(yamlQuoted($0.value))\n"
            }
            return
                "\(process.name):\n  command: \(yamlQuoted(process.commandLine))\n  environment:\n\(variables.joined())"
        }.joined()
    }
}

extension Topology {
    fileprivate func clientEndpoint(beside endpoint: String) -> String? {
        switch clients {
        case .beside: ClientEndpoint.beside(endpoint)
        case .at(let endpoint): endpoint
        case .nowhere: nil
        }
    }
}

/// The word as a POSIX shell would take it unchanged.
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
