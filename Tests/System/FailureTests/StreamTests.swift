#if os(Linux)  // which tells about other processes in /proc
    import TestTraits
    import Bank
    import BankFleet
    import FleetTestSupport
    import Foundation
    import Testing

    /// The number of events, and by how many bytes the name of the list in each makes them larger.
    ///
    /// `STREAM_EVENTS=1000000` sends as many by hand, with short names.
    private let lines = ProcessInfo.processInfo.environment["STREAM_EVENTS"].flatMap(Int.init) ?? 20_000
    private let nameBytes = lines > 20_000 ? 20 : 900

    /// A handler that sends events as fast as it can, over a disk that takes its time for each fsync.
    @Suite(.patience(minutes: 5 + lines / 50_000))
    struct StreamTests {
        @Test(
            "a stream over a slow disk: the handler waits, memory stays as it is, and the worker is not lost",
            .enabled(if: FaultLibrary.isPossible, "there is no C compiler, or no LD_PRELOAD"))
        func streamOverASlowDisk() async throws {
            let bank = try BankProcesses()
            let library = try FaultLibrary(in: bank.folder)
            let slow = bank.folder.file("slow")
            let coordinator = try bank.coordinator(
                ["--timeout", "\(max(600, lines / 500))", "--patient", "--silence", "30"],
                environment: library.slowSync(of: "/journal", while: slow))
            let worker = try bank.worker("w")
            try await bank.openAccounts(at: coordinator)
            try await bank.transfer("first", at: coordinator)
            _ = try await bank.finish(coordinator)
            let before = (try Self.peak(of: coordinator.pid), try Self.peak(of: worker.pid))

            try Data().write(to: URL(fileURLWithPath: slow))
            let name = String(repeating: "l", count: nameBytes)
            try coordinator.type("list \(name) \(lines)\n")
            try await eventually("the list begins") {
                try await coordinator.ask("status", for: BankStatus.self).events > 10
            }
            // In parts: a million take longer than a condition may. The memory before the end counts: there the coordinator prints
            // its model.
            var after = before
            for part in stride(from: 0, to: lines, by: 20_000) {
                try await eventually("\(part) events") {
                    try await coordinator.ask("status", for: BankStatus.self).events > part
                }
                after = (try Self.peak(of: coordinator.pid), try Self.peak(of: worker.pid))
                if part.isMultiple(of: 200_000) {
                    print("\(part) events: coordinator \(after.0) MiB, worker \(after.1) MiB")
                }
            }
            let model = try await bank.finish(coordinator)
            // One attempt brought them all, each once.
            #expect(model.statements[name]?.lines == (lines > 100_000 ? [lines] : Array(1...lines)))
            #expect(model.surprises == [])
            // All of them at once would be 20 MiB of payload in each of the worker's lists and on their way.
            #expect(after.0 - before.0 < 48, "coordinator: from \(before.0) to \(after.0) MiB")
            #expect(after.1 - before.1 < 16, "worker: from \(before.1) to \(after.1) MiB")
            let log = (coordinator.errors.elements + worker.errors.elements).joined(separator: "\n")
            #expect(!log.contains("silent") && !log.contains("worker lost"), "\(log)")
        }

        /// The most memory that a process has used so far, in MiB.
        private static func peak(of process: Int32) throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            let words = line?.split(whereSeparator: \.isWhitespace) ?? []
            guard words.count > 1, let kibibytes = Int(words[1]) else { throw CocoaError(.fileReadCorruptFile) }
            return kibibytes / 1024
        }
    }
#endif
