import Foundation
import MobiusProcess

/// Finds the executables that a topology names.
package struct CommandFinder: Sendable {
    /// The folder of the `mobius` executable, which is searched before `PATH`.
    package let neighbours: String
    /// The folder of the topology file; paths with a slash are relative to it.
    package let fileDirectory: String
    /// The value of `PATH`.
    package let searchPath: String

    /// Makes a finder; the directories are absolute paths.
    package init(neighbours: String, fileDirectory: String, searchPath: String) {
        self.neighbours = neighbours
        self.fileDirectory = fileDirectory
        self.searchPath = searchPath
    }

    /// The absolute path of a command.
    ///
    /// - Throws: `FleetExit` 69 with the topology's key when no executable file is found.
    package func find(_ command: String, key: String) throws -> String {
        if command.contains("/") {
            let given = command.hasPrefix("/") ? command : fileDirectory + "/" + command
            let path = URL(fileURLWithPath: given).standardized.path
            guard let problem = Self.problem(path) else { return path }
            throw FleetExit(.unavailable, "\(key): \(path) \(problem); correct the command in the topology file.")
        }
        let folders = [neighbours] + searchPath.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        let candidates = folders.map { $0 + "/" + command }
        if let path = candidates.first(where: { Self.problem($0) == nil }) {
            return path
        }
        if let path = candidates.first(where: { FileManager.default.fileExists(atPath: $0) }) {
            throw FleetExit(
                .unavailable, "\(key): \(path) \(Self.problem(path) ?? "cannot be started"); make it executable.")
        }
        throw FleetExit(
            .unavailable,
            "\(key): there is no '\(command)' beside mobius (in \(neighbours)) or in PATH; "
                + "build or install it, or give its path.")
    }

    /// The absolute path of a folder, whose name is relative to the topology file.
    ///
    /// - Throws: `FleetExit` 69 with the topology's key when the folder does not exist.
    package func folder(_ name: String, key: String) throws -> String {
        let given = name.hasPrefix("/") ? name : fileDirectory + "/" + name
        let path = URL(fileURLWithPath: given).standardized.path
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        guard isFolder.boolValue else {
            let problem = exists ? "is not a folder; correct" : "does not exist; make it, or correct"
            throw FleetExit(
                .unavailable, "\(key): the working directory \(path) \(problem) the key in the topology file.")
        }
        return path
    }

    /// Returns the reason why a path cannot be executed; nil when it can.
    private static func problem(_ path: String) -> String? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return "does not exist" }
        if isFolder.boolValue { return "is a folder" }
        return FileManager.default.isExecutableFile(atPath: path) ? nil : "is not executable"
    }
}
