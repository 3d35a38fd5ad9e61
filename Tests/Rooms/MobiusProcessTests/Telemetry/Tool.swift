import Foundation

/// A program of the system that checks what we make.
enum Tool: String {
    case promtool

    private var path: String? {
        ["/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + rawValue }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    var isInstalled: Bool { path != nil }

    /// What it complains about.
    func run(_ arguments: [String], input: String) throws -> String {
        let process = Process()
        process.executableURL = path.map { URL(fileURLWithPath: $0) }
        process.arguments = arguments
        let (stdin, output) = (Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try stdin.fileHandleForWriting.close()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: said, as: UTF8.self)
    }
}
