import Foundation
import MobiusCodec
import MobiusProcess

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Finds the coordinators that this user runs on this machine, alone or under `mobius up`.
package struct FleetFinder {
    /// The environment variable with a fleet's name, which `mobius up` sets for its processes.
    package static let variable = "MOBIUS_FLEET"

    private let environment: [String: String]

    /// Finds the fleets whose folders are in the directories named by this environment.
    package init(environment: [String: String]) {
        self.environment = environment
    }

    /// A fleet that has answered.
    package struct Found {
        /// A client of the fleet.
        package let control: ControlClient
        /// The fleet's description.
        package let fleet: ControlReply.Fleet
    }

    /// All fleets that answer, sorted by name.
    package var all: [Found] {
        let folders = Set(RuntimeDirectory.parents(in: environment)).flatMap { parent in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
            return names.filter { $0.hasPrefix(RuntimeDirectory.prefix) }.map { "\(parent)/\($0)" }
        }
        return folders.filter(isOurs).compactMap { found(at: RuntimeDirectory.control(in: $0)) }.sorted {
            ($0.fleet.name, $0.fleet.pid) < ($1.fleet.name, $1.fleet.pid)
        }
    }

    /// The `mobius up` whose coordinator has this endpoint for clients; it blocks the thread.
    package func control(ofClients endpoint: String) -> ControlClient? {
        all.first { $0.fleet.clients == endpoint }?.control
    }

    /// The fleet at a socket, if it answers.
    private func found(at path: String) -> Found? {
        let control = ControlClient(path: path)
        let reply = try? control.ask(ControlRequest(command: .fleet), patience: .seconds(2))
        return reply?.fleet.map { Found(control: control, fleet: $0) }
    }

    /// The fleet that a command is for: that of the option `--fleet`; else the one whose process runs the command; else that
    /// of ``variable``, or the only one.
    ///
    /// - Throws: `FleetExit` 69 when no fleet matches, 64 when several do, or when two variables name different ones.
    package func chosen(_ option: String?) throws -> Found {
        let named = environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
        guard option == nil, let path = environment[ControlClient.variable], !path.isEmpty else {
            return try one(named: option ?? named)
        }
        guard let own = found(at: path) else {
            throw FleetExit(.unavailable, "No mobius up answers at \(path), which \(ControlClient.variable) names.")
        }
        guard let named, named != own.fleet.name else { return own }
        throw FleetExit(
            .usage,
            "\(ControlClient.variable) is a socket of the fleet \(own.fleet.name), but \(Self.variable) is \(named): choose one "
                + "with --fleet, or unset one of them.")
    }

    /// The fleet with a name, or the only one.
    ///
    /// - Throws: `FleetExit` 69 when no fleet matches, 64 when several do.
    package func one(named name: String?) throws -> Found {
        let all = all
        let matching = all.filter { name == nil || $0.fleet.name == name }
        if matching.count == 1 { return matching[0] }
        let names = all.map(\.fleet.name)
        guard matching.isEmpty else {
            guard name == nil, Set(names).count == names.count else {
                let paths = matching.map { "\($0.control.path) (pid \($0.fleet.pid))" }.joined(separator: ", ")
                throw FleetExit(
                    .usage,
                    "Several fleets of that name run here; put the socket of one into "
                        + "\(ControlClient.variable): \(paths)")
            }
            throw FleetExit(
                .usage, "Several fleets run here; choose one with --fleet: \(names.joined(separator: ", "))")
        }
        guard let name, !names.isEmpty else {
            throw FleetExit(.unavailable, "No fleet of yours runs here; start one with mobius up FILE.")
        }
        let meant = NearestName.of(name, in: names).map { "Did you mean '\($0)'? " } ?? ""
        throw FleetExit(
            .unavailable, "No fleet '\(name)' of yours runs here. \(meant)There are: \(names.joined(separator: ", "))")
    }

    /// A running coordinator that accepts clients.
    package struct Target: Hashable {
        /// The name of its fleet, or of its program if it runs alone; `nil` if only its endpoint is known.
        package let name: String?
        /// The endpoint at which clients reach it.
        package let endpoint: String
        /// The detail that tells it from others of the same name.
        fileprivate let detail: String

        /// A coordinator of which only the endpoint is known.
        package init(endpoint: String) { self.init(name: nil, endpoint: endpoint, detail: "") }

        fileprivate init(name: String?, endpoint: String, detail: String) {
            (self.name, self.endpoint, self.detail) = (name, endpoint, detail)
        }

        /// Its name, or else its endpoint.
        package var label: String { name ?? endpoint }
    }

    /// All coordinators that run; one that belongs to a fleet is listed under the fleet's name.
    package var targets: [Target] {
        let fleets = all.compactMap { found in
            found.fleet.clients.map {
                Target(name: found.fleet.name, endpoint: $0, detail: "mobius up, process \(found.fleet.pid), \($0)")
            }
        }
        let taken = Set(fleets.map(\.endpoint))
        let alone = RunningCoordinators.all(in: environment).filter { !taken.contains($0.endpoint) }
        return fleets
            + alone.map {
                Target(name: $0.program, endpoint: $0.endpoint, detail: "process \($0.pid), \($0.endpoint)")
            }
    }

    /// The coordinator with a name, or the only one; `nil` when no name is given and none runs.
    ///
    /// - Throws: `FleetExit` 69 when none has that name, 64 when several match.
    package func target(named name: String?) throws -> Target? {
        let all = targets
        let matching = all.filter { name == nil || $0.name == name }
        guard matching.count != 1 else { return matching[0] }
        if let name, matching.isEmpty {
            let nearest = NearestName.of(name, in: all.compactMap(\.name)).map { "Did you mean '\($0)'? " } ?? ""
            throw FleetExit(
                .unavailable, "No fleet or coordinator '\(name)' of yours runs here. \(nearest)\(Self.list(all))")
        }
        guard matching.isEmpty else {
            let choice = name == nil ? "--fleet NAME or --connect ENDPOINT" : "--connect ENDPOINT"
            throw FleetExit(
                .usage, "Several coordinators of yours match; choose one with \(choice). \(Self.list(matching))")
        }
        return nil
    }

    /// A sentence that lists coordinators.
    package static func list(_ targets: [Target]) -> String {
        guard !targets.isEmpty else { return "None runs here." }
        return "Running: " + targets.map { "\($0.label) (\($0.detail))" }.joined(separator: "; ") + "."
    }

    /// Whether a folder belongs to this user: in /tmp any user may create one of that name.
    private func isOurs(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_uid == geteuid() && status.st_mode & S_IFMT == S_IFDIR
    }
}
