import FleetTestSupport
import Foundation
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The small app of the README, as its reader runs it.
@Suite(.patient)
struct GreeterTests {
    @Test func guestsAreGreetedOnceAcrossRestarts() async throws {
        let folder = try TestFolder()
        let worker = try TestProcess(
            "greeter-worker", ["--connect", "ipc://\(folder.file("s"))", "--drain-timeout", "1s"])
        for guests in [["Ada", "Grace"], ["Grace", "Alan"]] {
            let coordinator = try TestProcess(
                "greeter-coordinator", ["--bind", "ipc://\(folder.file("s"))"] + guests, in: folder.path)
            let last = try #require(guests.last)
            try await worker.output.wait(for: last) { $0.contains("Hello, \(last)!") }
            // A worker says a moment later whom it has greeted; whose worker comes back too late is greeted again.
            try await eventually("nothing is under way") {
                let effects = try TestProcess("mobius", ["effects", "--connect", "ipc://\(folder.file("s"))-client"])
                try await effects.end()
                return effects.output.elements == ["No effects are pending."]
            }
            try await coordinator.kill()
        }
        worker.signal(SIGTERM)
        #expect(try await worker.end() == .exited(0))
        #expect(worker.output.elements.sorted() == ["Hello, Ada!", "Hello, Alan!", "Hello, Grace!"])
        #expect(FileManager.default.fileExists(atPath: folder.file("greeter.journal")))
    }

    @Test func aSecondSignalEndsAtOnce() async throws {
        let site = try await Site.synthetic(pages: 2, delay: 3_600_000)
        let fleet = try AuditFleet(auditing: site.url, options: AuditFleet.patient)
        let worker = try fleet.fetcher(timeout: 3600, ["--drain-timeout", "1h"])
        let coordinator = try fleet.coordinator()
        try await site.wait(forRequests: 1)
        worker.signal(SIGTERM)
        try await worker.log("draining")  // which takes an hour
        worker.signal(SIGTERM)
        #expect(try await worker.end() == .exited(143))
        withExtendedLifetime(coordinator) {}
    }

    @Test func everyExecutableExplainsItself() async throws {
        for name in ["greeter-coordinator", "greeter-worker", "site-audit", "page-fetcher", "report-writer", "mobius"] {
            let process = try TestProcess(name, ["--help"])
            #expect(try await process.end() == .exited(0))
            let help = process.output.elements.joined(separator: "\n")
            #expect(help.contains("USAGE:"), "\(name)")
            if name != "mobius" { #expect(help.contains("Examples:") || help.contains("EXAMPLES:"), "\(name)") }
        }
    }
}
