import Bank
import BankFleet
import FleetTestSupport
import Foundation
import TestTraits
import Testing

/// What stands beside a journal, and under which names it comes.
@Suite(.patient)
struct JournalFileTests {
    private let bank: BankProcesses

    init() throws {
        bank = try BankProcesses()
    }

    @Test("a second coordinator by another name of the file: it exits with 75 and names the first one's process")
    func secondName() async throws {
        let first = try bank.coordinator()
        try await bank.openAccounts(at: first)
        let link = bank.folder.file("linked")
        try FileManager.default.linkItem(atPath: bank.journal, toPath: link)
        let second = try bank.coordinator(journal: link, bind: "ipc://\(bank.folder.file("other.sock"))")
        #expect(try await second.end() == .exited(75))
        #expect(second.errors.elements.last?.contains("pid \(first.pid)") == true, "\(second.errors.elements)")
        _ = try await bank.finish(first)
    }

    @Test("SIGKILL, then a log that is gone: the start exits with 74, and `restore` is the way on")
    func lostTail() async throws {
        let first = try bank.coordinator()
        try await bank.openAccounts(at: first)
        try await first.kill()
        try FileManager.default.removeItem(atPath: bank.journal + "-wal")
        #expect(try await bank.journal("verify", bank.journal) == .exited(74))
        let second = try bank.coordinator()
        #expect(try await second.end() == .exited(74))
        #expect(second.errors.elements.last?.contains("has lost what was committed last") == true)
        let new = bank.folder.file("new")
        #expect(try await bank.journal("restore", bank.journal, new) == .exited(0))
        let third = try bank.coordinator(journal: new)
        #expect(try await bank.place(at: third))
        _ = try await bank.finish(third)
    }

    @Test("a link where the breadcrumb belongs: it exits with 73 and leaves the target as it was")
    func linkedBreadcrumb() async throws {
        let target = bank.folder.file("precious")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: target))
        try FileManager.default.createSymbolicLink(
            atPath: bank.journal + "-breadcrumb", withDestinationPath: target)
        let coordinator = try bank.coordinator()
        #expect(try await coordinator.end() == .exited(73))
        #expect(coordinator.errors.elements.last?.contains("symbolic link") == true)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
    }
}
