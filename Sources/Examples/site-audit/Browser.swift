import Foundation
import MobiusProcess

/// The user's browser, as the system starts it.
enum Browser {
    #if canImport(Darwin)
        private static let command = "open"
    #else
        private static let command = "xdg-open"
    #endif

    /// Opens a file, and does not wait; a failure is a note, because the file is there anyhow.
    static func open(_ path: String) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let places = folders.map { "\($0)/\(command)" }
        guard let place = places.first(where: FileManager.default.isExecutableFile) else {
            return note("there is no \(command) in PATH", path)
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: place)
        process.arguments = [path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { note(error.localizedDescription, path) }
    }

    private static func note(_ reason: String, _ path: String) {
        StandardError.write(TerminalText.line("--open: \(reason); the report is \(path)") + "\n")
    }
}
