import Foundation

/// Counts what processes allocate, by a library that is preloaded into them.
struct AllocationCounts {
    /// Which process.
    enum Side: String, CaseIterable {
        case coordinator, worker
    }

    private let library: URL
    private let folder: URL

    /// Makes it if the library lies in `build` and the system preloads such; `nil` otherwise.
    init?(beside build: URL) throws {
        library = build.appending(path: "libAllocationCounts.so")
        guard FileManager.default.fileExists(atPath: library.path) else { return nil }
        folder = FileManager.default.temporaryDirectory.appending(path: "allocations-\(UUID().uuidString)")
    }

    /// What a process is started with, so that it is counted.
    func environment(of side: Side) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["LD_PRELOAD"] = library.path
        environment["ALLOCATION_COUNTS"] = folder(of: side).path
        return environment
    }

    /// Forgets all counts.
    func empty() throws {
        remove()
        for side in Side.allCases {
            try FileManager.default.createDirectory(at: folder(of: side), withIntermediateDirectories: true)
        }
    }

    /// What the ended process of a side counted.
    func read(_ side: Side) throws -> Double {
        let files = try FileManager.default.contentsOfDirectory(at: folder(of: side), includingPropertiesForKeys: nil)
        guard let file = files.first, files.count == 1,
            let count = Double(try String(contentsOf: file, encoding: .utf8))
        else { throw BenchError("The \(side)'s allocations were not counted: \(files.count) files instead of one.") }
        return count
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    private func folder(of side: Side) -> URL { folder.appending(path: side.rawValue) }
}
