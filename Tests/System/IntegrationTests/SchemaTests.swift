import FleetTestSupport
import Foundation
import TestTraits
import Testing

/// The forms of a program's types are found out by another process, which alone ends when a type traps.
@Suite(.patient)
struct SchemaTests {
    private let folder: TestFolder
    private var endpoint: String { "ipc://\(folder.file("s"))" }

    init() throws {
        folder = try TestFolder()
    }

    private func coordinator(_ sealed: String) async throws -> TestProcess {
        let coordinator = try TestProcess(
            "sealed-coordinator", ["word", "--bind", endpoint, "--journal", folder.file("journal")],
            environment: ["SEALED": sealed], in: folder.path)
        try await coordinator.errors.wait(for: "the socket") { $0.contains { $0.contains("listening") } }
        return coordinator
    }

    private func mobius(_ arguments: String...) async throws -> (TestProcess, TestProcess.End) {
        let process = try TestProcess("mobius", arguments + ["--connect", "\(endpoint)-client", "--timeout", "60s"])
        return (process, try await process.end())
    }

    @Test func aTypeThatTrapsCostsAnErrorAndNotTheCoordinator() async throws {
        let coordinator = try await coordinator("trap")
        for _ in 0..<2 {
            let (events, end) = try await mobius("events")
            #expect(end != .exited(0))
            let words = events.errors.elements.joined(separator: " ")
            #expect(
                words.contains("The schema could not be read: an init(from:) of the program's types ended"), "\(words)")
            #expect(words.contains("not the number of this seal"), "\(words)")
        }
        let (sent, end) = try await mobius("send", #"{"add":{"_0":1}}"#, "--key", "one")
        #expect(end == .exited(0), "\(sent.errors.elements)")
        #expect(sent.output.elements.first?.hasPrefix("applied to main") == true)
        try await coordinator.kill()
    }

    @Test func aTypeThatNeverReturnsEndsWithATimeLimit() async throws {
        let coordinator = try await coordinator("hang")
        let (events, end) = try await mobius("events")
        #expect(end != .exited(0))
        let words = events.errors.elements.joined(separator: " ")
        #expect(words.contains("took longer than 10 seconds"), "\(words)")
        try await coordinator.kill()
    }

    @Test func aSoundProgramHasOneAlsoAfterItsFileWasDeleted() async throws {
        let copy = folder.file("greeter")
        try FileManager.default.copyItem(atPath: TestProcess.executable("greeter-coordinator").path, toPath: copy)
        let coordinator = try TestProcess(
            copy, ["--bind", endpoint, "--journal", folder.file("journal")], in: folder.path)
        try await coordinator.errors.wait(for: "the socket") { $0.contains { $0.contains("listening") } }
        try FileManager.default.removeItem(atPath: copy)
        let (events, end) = try await mobius("events")
        #expect(end == .exited(0), "\(events.errors.elements)")
        #expect(events.output.elements.contains { $0.hasPrefix("guestArrived") })
        try await coordinator.kill()
    }
}
