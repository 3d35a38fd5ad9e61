import ArgumentParser
import FleetTestSupport
import Foundation
import MobiusProcess

/// Runs the bank with real processes while all of them are killed, stopped and cut off at random, and audits it at the end.
@main struct ChaosRunner: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos-runner",
        abstract: "Kills, stops and cuts a bank's processes at random; then nothing may be lost and nothing doubled.",
        discussion: """
            Exit codes: 0 all is well, 1 something was lost or doubled (the files are kept), 64 usage, 130 and 143 interrupted.
            """)

    @Option(help: "For how many minutes there is trouble.")
    var minutes = 2.0

    @Option(help: "What the random choices begin with (default: another one each time; printed).")
    var seed: UInt64?

    @Option(help: "How many workers there are.")
    var workers = 4

    @Option(help: "How many transfers customers order in a second.")
    var rate = 40.0

    @Option(help: "How many milliseconds a booking takes.")
    var work = 30

    @Option(help: "How many seconds lie between two troubles on average.")
    var pause = 0.45

    @Flag(help: "Keep all files, also when all is well.")
    var keep = false

    func validate() throws {
        guard minutes > 0, workers > 0, rate > 0, work >= 0, pause > 0 else {
            throw ValidationError("All numbers must be greater than 0.")
        }
    }

    func run() async throws {
        let seed = seed ?? UInt64.random(in: 1...999_999)
        print("chaos: \(minutes) minutes, seed \(seed)")
        fflush(nil)
        let folder = NSTemporaryDirectory() + "chaos-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let children = Children()
        let watch = SignalWatch([SIGINT, SIGTERM]) { signal, _ in
            children.killAll()
            try? FileManager.default.removeItem(atPath: folder)
            _exit(128 + signal)
        }
        defer { children.killAll() }
        let company = try await Company(
            in: folder, workers: workers, work: work, children: children)
        let run = ChaosRun(company, seed: seed, rate: rate, pause: pause)
        var complaints: [String]
        do {
            try await run.trouble(for: .seconds(minutes * 60))
            complaints = try await run.settle()
        } catch {
            complaints = ["\(error)"]
        }
        print(run.tally)
        for complaint in complaints.prefix(50) { print("WRONG: \(complaint)") }
        if complaints.isEmpty, !keep {
            try? FileManager.default.removeItem(atPath: folder)
        } else {
            company.writeLogs()
            print("all files are in \(folder)")
        }
        withExtendedLifetime(watch) {}
        guard complaints.isEmpty else { throw ExitCode(1) }
        print("nothing lost, nothing doubled")
    }
}
