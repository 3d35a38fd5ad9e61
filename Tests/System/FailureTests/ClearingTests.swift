import BankFleet
import Clearing
import FleetTestSupport
import Foundation
import Synchronization
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Coordinators that die while programs ask each other: accounts and transfers of a bank.
@Suite(.patient)
struct ClearingTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private var journal: String { folder.file("journal") }

    private func coordinator(_ options: [String] = [], failpoints: String? = nil) throws -> TestProcess {
        var environment: [String: String] = [:]
        environment["MOBIUS_FAILPOINTS"] = failpoints
        return try TestProcess(
            "clearing-coordinator",
            ["--bind", "ipc://\(folder.file("s"))", "--journal", journal, "--keep-history"] + options,
            environment: environment)
    }

    @Test(
        "SIGKILL around the commits of what accounts and transfers ask each other: the books are equal",
        arguments: ["coordinator.before-commit", "coordinator.after-commit"], [nil, 50])
    func booksAreEqual(_ place: String, _ patience: Int?) async throws {
        let options = patience.map { ["--patience", "\($0)"] } ?? []
        let customers = ClearingCustomers("ipc://\(folder.file("s"))-client", transfers: 40)
        let isDone = Mutex(false)
        let work = Task {
            defer { isDone.withLock { $0 = true } }
            try await customers.request()
            return try await customers.books()
        }
        var kills = 0
        while true {
            // At the first to fourth commit, by turns; the last one goes on to the end.
            let coordinator = try coordinator(
                options, failpoints: kills < 12 ? "\(place)=kill@\(kills % 4 + 1)" : nil)
            try await eventually("it is killed, or all is done", within: .seconds(3600)) {
                coordinator.isGone || isDone.withLock { $0 }
            }
            guard !isDone.withLock({ $0 }) else {
                try await coordinator.kill()
                break
            }
            #expect(try await coordinator.end() == .signalled(SIGKILL))
            kills += 1
        }
        let found = try await work.value
        #expect(kills == 12)
        #expect(found.complaints() == [])
        #expect(Set(found.transfers.values.map(\.stage)) == [.done, .refused])
        #expect(found.transfers.count == 40 && found.accounts.count >= 4)
        if patience == nil { #expect(found.transfers.values.allSatisfy { $0.unclear == 0 }) }
        #expect(try JournalAudit(path: journal).doubled == [])
        #expect(try await coordinator(["--verify"]).end() == .exited(0))
        #expect(try await TestProcess("mobius", ["journal", "verify", journal]).end() == .exited(0))
    }
}
