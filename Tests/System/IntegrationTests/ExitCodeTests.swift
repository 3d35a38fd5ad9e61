import FleetTestSupport
import Foundation
import TestTraits
import Testing

/// What goes wrong before an audit can begin: the documented exit code, and a sentence that says what to do.
@Suite(.patient)
struct ExitCodeTests {
    /// Runs `site-audit` alone with these arguments and returns its end and what it said on standard error.
    private func run(_ arguments: [String], in folder: TestFolder) async throws -> (TestProcess.End, String) {
        let process = try TestProcess(
            "site-audit", ["--bind", "ipc://\(folder.file("s"))"] + arguments, in: folder.path)
        let end = try await process.end()
        return (end, process.errors.elements.joined(separator: "\n"))
    }

    @Test func aMissingStartIsAUsageError() async throws {
        let (end, errors) = try await run([], in: TestFolder())
        #expect(end == .exited(64))
        #expect(errors.contains("--start"))
    }

    @Test(arguments: ["ftp://example.org/", "no url", "http://"])
    func aStartThatIsNoWebAddressIsAUsageError(_ start: String) async throws {
        let (end, errors) = try await run(["--start", start], in: TestFolder())
        #expect(end == .exited(64))
        #expect(errors.contains("Error:"))
    }

    @Test func aWrongEnvironmentVariableIsNamed() async throws {
        let process = try TestProcess("page-fetcher", environment: ["MOBIUS_CONCURRENCY": "many"])
        #expect(try await process.end() == .exited(64))
        #expect(process.errors.elements.contains { $0.contains("MOBIUS_CONCURRENCY") })
    }

    @Test(arguments: [
        ["mobius", "--help"], ["mobius", "journal", "--help"], ["site-audit", "--version"], ["page-fetcher", "--help"],
        ["counter-loop", "--help"], ["orders-load", "--help"],
    ])
    func outputThatCannotBeWrittenIs74(_ command: [String]) async throws {
        let words = [try TestProcess.executable(command[0]).path] + command.dropFirst()
        let line = words.map { "'\($0)'" }.joined(separator: " ") + " > /dev/full"
        let process = try TestProcess("/bin/sh", ["-c", line])
        #expect(try await process.end() == .exited(74))
        #expect(process.errors.elements.contains { $0.contains("Standard output cannot be written: No space left") })
    }

    @Test func anUnreachableStartIs69() async throws {
        // Nobody listens on port 1 of loopback.
        let fleet = try AuditFleet(auditing: "http://127.0.0.1:1/")
        let workers = [try fleet.fetcher(), try fleet.writer()]
        let coordinator = try fleet.coordinator()
        #expect(try await coordinator.end() == .exited(69))
        #expect(coordinator.errors.elements.contains { $0.contains("127.0.0.1:1") })
        withExtendedLifetime(workers) {}
    }

    @Test func anEndpointThatIsTakenIs69() async throws {
        let site = try await Site.synthetic(pages: 2)
        let folder = try TestFolder()
        let bind = ["--bind", "tcp://127.0.0.1:\(try #require(URL(string: site.url)?.port))"]
        let (end, errors) = try await run(["--start", site.url] + bind, in: folder)
        #expect(end == .exited(69))
        #expect(errors.contains("Cannot listen on"))
    }

    @Test func aReportThatCannotBeWrittenIs73() async throws {
        let site = try await Site.synthetic(pages: 2)
        let fleet = try AuditFleet(auditing: site.url)
        try Data("a file, not a folder".utf8).write(to: URL(fileURLWithPath: fleet.report))
        let workers = [try fleet.fetcher(), try fleet.writer()]
        let coordinator = try fleet.coordinator()
        #expect(try await coordinator.end() == .exited(73))
        #expect(coordinator.errors.elements.contains { $0.contains(fleet.report) })
        withExtendedLifetime(workers) {}
    }

    @Test func aJournalInAFolderThatIsMissingIs73() async throws {
        let (end, errors) = try await run(
            ["--start", "http://127.0.0.1:1/", "--journal", "/no/such/folder/journal"], in: TestFolder())
        #expect(end == .exited(73))
        #expect(errors.contains("/no/such/folder"))
    }

    @Test func aJournalThatIsNoJournalIs74() async throws {
        let folder = try TestFolder()
        try Data(repeating: 0x41, count: 10_000).write(to: URL(fileURLWithPath: folder.file("j")))
        let (end, errors) = try await run(
            ["--start", "http://127.0.0.1:1/", "--journal", folder.file("j")], in: folder)
        #expect(end == .exited(74))
        #expect(errors.contains("--journal"))
    }

    @Test func anotherProgramsJournalIs74AndNamesIt() async throws {
        let folder = try TestFolder()
        let greeter = try TestProcess(
            "greeter-coordinator", ["--journal", folder.file("j"), "--bind", "ipc://\(folder.file("g"))"])
        try await greeter.log("listening")
        greeter.signal(SIGTERM)
        #expect(try await greeter.end() == .exited(0))
        let (end, errors) = try await run(
            ["--start", "http://127.0.0.1:1/", "--journal", folder.file("j")], in: folder)
        #expect(end == .exited(74))
        #expect(errors.contains("greeter"))
    }

    @Test func aSecondCoordinatorOnTheJournalIs75AndNamesTheHolder() async throws {
        let folder = try TestFolder()
        let options = ["--start", "http://127.0.0.1:1/", "--journal", folder.file("j")]
        let first = try TestProcess("site-audit", ["--bind", "ipc://\(folder.file("1"))"] + options, in: folder.path)
        try await first.log("listening")
        let (end, errors) = try await run(options, in: folder)
        #expect(end == .exited(75))
        #expect(errors.contains("\(first.pid)"))
    }

    @Test func anUnfinishedAuditOfAnotherSiteIsNotOverwritten() async throws {
        let folder = try TestFolder()
        let journal = ["--journal", folder.file("j")]
        let first = try TestProcess(
            "site-audit", ["--bind", "ipc://\(folder.file("1"))", "--start", "http://127.0.0.1:1/"] + journal,
            in: folder.path)
        try await first.log("and effects wait for it")
        try await first.kill()
        let (end, errors) = try await run(["--start", "http://127.0.0.1:2/"] + journal, in: folder)
        #expect(end == .exited(64))
        #expect(errors.contains("http://127.0.0.1:1/"))
    }

    @Test func aWorkerWithAnEndpointThatCanNeverWorkIs69() async throws {
        let worker = try TestProcess("greeter-worker", ["--connect", "carrier-pigeon://roof"])
        #expect(try await worker.end() == .exited(69))
        #expect(worker.errors.elements.contains { $0.contains("carrier-pigeon://roof") })
    }
}
