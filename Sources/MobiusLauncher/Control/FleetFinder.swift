import Foundation
import MobiusCommand

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Finds the fleets of this user's `mobius up` on this machine.
package struct FleetFinder {
    private let environment: [String: String]

    /// A finder of fleets whose folders are where this environment says.
    package init(environment: [String: String]) {
        self.environment = environment
    }

    /// A fleet that answers.
    package struct Found {
        /// Asks it.
        package let control: ControlClient
        /// Who it is.
        package let fleet: ControlReply.Fleet
    }

    /// All that answer, in the order of their names.
    package var all: [Found] {
        let folders = Set(RuntimeDirectory.parents(in: environment)).flatMap { parent in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
            return names.filter { $0.hasPrefix(RuntimeDirectory.prefix) }.map { "\(parent)/\($0)" }
        }
        return folders.filter(isOurs).compactMap { found(at: RuntimeDirectory.control(in: $0)) }.sorted {
            ($0.fleet.name, $0.fleet.pid) < ($1.fleet.name, $1.fleet.pid)
        }
    }

    /// The one at a socket, if it answers.
    private func found(at path: String) -> Found? {
        let control = ControlClient(path: path)
        let reply = try? control.ask(ControlRequest(command: .fleet), patience: .seconds(2))
        return reply?.fleet.map { Found(control: control, fleet: $0) }
    }

    /// The one of a name, or the only one.
    ///
    /// - Throws: `FleetExit` 69 when there is none, 64 when there are several.
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

    /// Whether a folder belongs to this user: in /tmp anybody may make one of that name.
    private func isOurs(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_uid == geteuid() && status.st_mode & S_IFMT == S_IFDIR
    }
}
