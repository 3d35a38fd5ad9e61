import Foundation

/// The library of faults (`Tests/Tools/FaultLibrary/fault.c`), built for one test and loaded into the processes that it names.
public struct FaultLibrary: Sendable {
    /// Whether it can be built and loaded.
    public static let isPossible: Bool = {
        #if os(Linux)
            return compiler != nil
        #else
            return false
        #endif
    }()

    private static var compiler: String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let candidates = ["cc", "clang", "gcc"].flatMap { name in folders.map { "\($0)/\(name)" } }
        return candidates.first(where: FileManager.default.isExecutableFile)
    }

    private let path: String

    /// Builds it in a folder.
    public init(in folder: TestFolder) throws {
        path = folder.file("fault.so")
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Tools/FaultLibrary/fault.c").path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.compiler ?? "/usr/bin/cc")
        process.arguments = ["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-O1", "-o", path, source, "-ldl"]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    }

    /// The environment in which fsync fails for files whose path contains `part`, while the file `sign` is there.
    public func failingSync(of part: String, while sign: String) -> [String: String] {
        ["LD_PRELOAD": path, "MOBIUS_FAULT_FSYNC": part, "MOBIUS_FAULT_WHEN": sign]
    }

    /// The environment in which fsync hangs for files whose path contains `part`, while the file `sign` is there.
    public func hangingSync(of part: String, while sign: String) -> [String: String] {
        ["LD_PRELOAD": path, "MOBIUS_FAULT_HANG": part, "MOBIUS_FAULT_WHEN": sign]
    }

    /// The environment in which fsync takes 50 ms for files whose path contains `part`, while the file `sign` is there.
    public func slowSync(of part: String, while sign: String) -> [String: String] {
        ["LD_PRELOAD": path, "MOBIUS_FAULT_SLOW": part, "MOBIUS_FAULT_WHEN": sign]
    }

    /// The environment in which the wall clock is wrong by the seconds in the file.
    public func jumpingClock(_ file: String) -> [String: String] {
        ["LD_PRELOAD": path, "MOBIUS_FAULT_CLOCK": file]
    }
}
