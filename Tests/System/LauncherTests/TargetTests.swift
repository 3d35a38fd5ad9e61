import FleetTestSupport
import Foundation
import TestTraits
import Testing

/// Which coordinator a command is for, when nothing says it.
@Suite("Without --connect, a command", .serialized, .patient)
struct TargetTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private var environment: [String: String] { ["MOBIUS_RUNTIME_DIR": folder.path] }

    private func coordinator(_ name: String) async throws -> TestProcess {
        let process = try TestProcess(
            "greeter-coordinator", ["--bind", "ipc://\(folder.file(name))", "--journal", "none"],
            environment: environment)
        try await process.log("listening")
        return process
    }

    private func mobius(_ arguments: String...) async throws -> (end: TestProcess.End, lines: [String]) {
        let process = try TestProcess("mobius", arguments, environment: environment)
        return (try await process.end(), process.output.elements + process.errors.elements)
    }

    private let event = #"{"guestArrived":{"_0":"Ada"}}"#

    @Test("goes to the only coordinator of this user, and says which that is")
    func only() async throws {
        let greeter = try await coordinator("a")
        let sent = try await mobius("send", event)
        #expect(sent.end == .exited(0))
        #expect(sent.lines == ["applied to greeter/main as event 1"])
        #expect(try await mobius("status").lines.first?.hasPrefix("Program:      greeter") == true)
        // One that was killed is not found any more.
        try await greeter.kill()
        let second = try await coordinator("b")
        #expect(try await mobius("send", event).lines == ["applied to greeter/main as event 1"])
        try await second.kill()
    }

    @Test("refuses to choose between several, and lists them")
    func several() async throws {
        let first = try await coordinator("a")
        let second = try await coordinator("b")
        for command in [["send", event], ["status"], ["effects"], ["dead", "list"], ["quarantine", "list"]] {
            let process = try TestProcess("mobius", command, environment: environment)
            #expect(try await process.end() == .exited(64))
            let text = process.errors.elements.joined(separator: " ")
            #expect(text.contains("Several coordinators of yours match"))
            #expect(
                text.contains("ipc://\(folder.file("a"))-client") && text.contains("ipc://\(folder.file("b"))-client"))
        }
        #expect(try await mobius("send", event, "--connect", "ipc://\(folder.file("b"))-client").end == .exited(0))
        try await first.kill()
        try await second.kill()
    }

    @Test("fails at once where --connect names a socket that does not exist, and lists what runs")
    func nowhere() async throws {
        let begin = ContinuousClock.now
        let lonely = try await mobius("send", event, "--connect", "ipc://\(folder.file("x"))-client", "--timeout", "1h")
        #expect(lonely.end == .exited(69))
        #expect(lonely.lines.joined().contains("There is no socket at ipc://\(folder.file("x"))-client"))
        #expect(lonely.lines.joined().hasSuffix("None runs here."))
        let greeter = try await coordinator("a")
        let wrong = try await mobius("status", "--connect", "ipc://\(folder.file("x"))-client", "--timeout", "1h")
        #expect(wrong.end == .exited(69))
        #expect(wrong.lines.joined().contains("Running: greeter (process \(greeter.pid), "))
        #expect(ContinuousClock.now - begin < .seconds(1800))
        try await greeter.kill()
    }

    @Test("names the nearest one for a name that nobody has")
    func unknown() async throws {
        let greeter = try await coordinator("a")
        let wrong = try await mobius("status", "--fleet", "greter")
        #expect(wrong.end == .exited(69))
        #expect(wrong.lines.joined().contains("Did you mean 'greeter'?"))
        #expect(try await mobius("send", event, "--fleet", "greeter").lines == ["applied to greeter/main as event 1"])
        try await greeter.kill()
    }
}
