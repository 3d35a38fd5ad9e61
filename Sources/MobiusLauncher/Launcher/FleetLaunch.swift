import ArgumentParser
import Foundation
package import Logging
import MobiusProcess

/// A fleet to start: its topology was read, and its numbers of workers are known.
package struct FleetLaunch: Sendable {
    private let file: String
    private let topology: Topology
    private let coordinatorArguments: [String]
    private let environment: [String: String]

    /// Reads the topology file.
    ///
    /// - Parameters:
    ///   - file: The topology file.
    ///   - orders: Numbers of workers that replace those in the file.
    ///   - http: The address at which `mobius-serve` listens beside the fleet; `nil` for nowhere.
    ///   - coordinatorArguments: Added to the coordinator's command.
    ///   - environment: The environment that processes inherit.
    /// - Throws: `FleetExit` 64 when the content, an order or the address is invalid, 66 when the file cannot be read.
    package init(
        file: String, scaledBy orders: [Supervisor.ScaleRequest], http: String? = nil,
        coordinatorArguments: [String], environment: [String: String]
    ) throws {
        do {
            topology = try TopologyReader.read(file: file).scaled(by: orders).served(at: http)
        } catch let error as TopologyError {
            throw FleetExit(.usage, "\(error)")
        }
        self.file = file
        self.coordinatorArguments = coordinatorArguments
        self.environment = environment
    }

    /// All processes with their command lines and environments as YAML; nothing is created or started.
    ///
    /// - Throws: `FleetExit` 69 naming the first command or folder that does not exist.
    package func describe() throws -> String {
        try plan(endpoint: topology.endpoint ?? RuntimeDirectory.exampleEndpoint(in: environment)).text
    }

    /// Runs the fleet to its end; signals are caught meanwhile.
    ///
    /// - Parameters:
    ///   - isRaw: Whether output lines of processes are passed through unchanged, with their control characters.
    ///   - bootstrap: Makes the logger, which passes its lines to the given closure.
    /// - Throws: `FleetExit` with the coordinator's code unless that is 0; 69 when a command does not exist; 73 when no
    ///   folder, pipe or socket can be created.
    package func run(
        isRaw: Bool, bootstrap: (@escaping @Sendable (String) -> Void) throws -> Logger
    ) async throws {
        // Commands are looked up before anything is created.
        _ = try plan(endpoint: topology.endpoint ?? "")
        // Each process takes three descriptors, and the default limit of many systems is 1024.
        OpenFiles.raiseLimit()
        let output = try output(isRaw: isRaw)
        let logger = try bootstrap { output.write($0) }
        let directory = try directory(logger)
        defer { directory?.remove() }
        let plan = try plan(endpoint: topology.endpoint ?? directory?.endpoint ?? "")
        let launcher = try Launcher(
            plan: plan, environment: environment, output: output, logger: logger,
            control: try directory.map { try control(in: $0, plan) })
        let outcome = await launcher.run()
        output.flush()
        if outcome.code != 0 {
            throw FleetExit(ExitCode(outcome.code), outcome.sentence ?? "")
        }
    }

    private func output(isRaw: Bool) throws -> OutputMultiplexer {
        do {
            return try OutputMultiplexer(environment: environment, isRaw: isRaw)
        } catch {
            throw FleetExit(.cannotCreate, "No pipe can be made: \(error).")
        }
    }

    /// The folder for sockets; only a fleet with an explicit endpoint can run without one.
    private func directory(_ logger: Logger) throws -> RuntimeDirectory? {
        do {
            return try RuntimeDirectory(in: environment)
        } catch  where topology.endpoint != nil {
            logger.warning("mobius scale and replace will not find the fleet", metadata: ["because": "\(error)"])
            return nil
        }
    }

    private func control(in directory: RuntimeDirectory, _ plan: LaunchPlan) throws -> ControlServer {
        let fleet = ControlReply.Fleet(
            name: "\(plan.coordinator.name)", pid: getpid(), file: URL(fileURLWithPath: file).path,
            clients: plan.clientEndpoint)
        let path = RuntimeDirectory.control(in: directory.path)
        do {
            return try ControlServer(path: path, fleet: fleet)
        } catch {
            throw FleetExit(.cannotCreate, "No socket can be made at \(path): \(error).")
        }
    }

    private func plan(endpoint: String) throws -> LaunchPlan {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        let finder = CommandFinder(
            neighbours: OwnExecutable.directory, fileDirectory: folder,
            searchPath: environment["PATH"] ?? "/usr/bin:/bin")
        return try LaunchPlan(
            topology, endpoint: endpoint, coordinatorArguments: coordinatorArguments, finder: finder)
    }
}
