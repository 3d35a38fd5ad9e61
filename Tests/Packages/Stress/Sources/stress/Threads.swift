import Foundation

/// The threads of this program.
enum Threads {
    /// Waits until all but the caller's sleep, so that none of them is about to let something go.
    ///
    /// LeakSanitizer looks at the moment the program exits. It cannot see who holds the side table of an object that
    /// is still alive then: the object keeps that address shifted, in its reference count. After ten seconds it is
    /// left to the sanitizer to say what stayed.
    static func awaitRest() {
        let deadline = ContinuousClock.now + .seconds(10)
        var quietLooks = 0
        while quietLooks < 3, ContinuousClock.now < deadline {
            quietLooks = areResting ? quietLooks + 1 : 0
            sched_yield()
        }
    }

    private static var areResting: Bool {
        let tasks = "/proc/self/task"
        let files = FileManager.default
        guard let own = try? files.destinationOfSymbolicLink(atPath: "/proc/thread-self"),
            let threads = try? files.contentsOfDirectory(atPath: tasks)
        else { return true }
        return threads.allSatisfy { thread in
            own.hasSuffix("/\(thread)") || !isRunning("\(tasks)/\(thread)/stat")
        }
    }

    /// Whether the thread with this state file runs or wants to; not if it has gone.
    private static func isRunning(_ file: String) -> Bool {
        // Foundation's own way of reading a file leaks its buffer if the thread ends meanwhile.
        guard let stream = fopen(file, "r") else { return false }
        defer { fclose(stream) }
        var line = [UInt8](repeating: 0, count: 512)
        let count = fread(&line, 1, line.count, stream)
        // The state follows the name, which is in parentheses.
        return String(decoding: line[..<count], as: UTF8.self).split(separator: ")").last?.hasPrefix(" R") ?? false
    }
}
