import FleetTestSupport
import Foundation
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The counter at a terminal.
@Suite(.patient)
struct CounterTerminalTests {
    private let folder: TestFolder
    private let terminal: PseudoTerminal
    private let counter: TestProcess

    init() async throws {
        folder = try TestFolder()
        terminal = try PseudoTerminal()
        counter = try Self.counter(["--state", "s"], at: terminal, in: folder)
        try await terminal.shows("count  0")
    }

    private static func counter(
        _ arguments: [String] = [], at terminal: PseudoTerminal, in folder: TestFolder
    ) throws -> TestProcess {
        try TestProcess(
            "counter-loop", ["--player", "none"] + arguments, environment: ["TERM": "xterm"], in: folder.path,
            input: .terminal(terminal))
    }

    @Test func keysCountWithoutEnterAndUnseen() async throws {
        #expect(!terminal.isUsual)
        try counter.type("++")
        try await terminal.shows("history  0 1 2")
        #expect(!terminal.screen.contains("++"))
        try counter.type("q")
        #expect(try await counter.end() == .exited(0))
        #expect(terminal.isUsual)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalSavesTheModelAndPutsTheTerminalBack(_ signal: Int32) async throws {
        try counter.type("+")
        try await terminal.shows("count  1")
        counter.signal(signal)
        #expect(try await counter.end() == .exited(0))
        #expect(terminal.isUsual)
        let saved = try String(contentsOfFile: folder.file("s"), encoding: .utf8)
        #expect(saved == #"{"count":1}"#)
    }

    @Test func ctrlDQuits() async throws {
        try counter.type("\u{4}")
        #expect(try await counter.end() == .exited(0))
        #expect(terminal.isUsual)
    }

    @Test func theQuitSignalPutsTheTerminalBack() async throws {
        counter.signal(SIGQUIT)
        #expect(try await counter.end() == .exited(131))
        #expect(terminal.isUsual)
    }

    @Test func whatSIGKILLLeftTheNextRunPutsRight() async throws {
        counter.signal(SIGKILL)
        #expect(try await counter.end() == .signalled(SIGKILL))
        #expect(!terminal.isUsual)
        let next = try Self.counter(at: terminal, in: folder)
        try next.type("q")
        #expect(try await next.end() == .exited(0))
        #expect(terminal.isUsual)
    }

    @Test func whileItIsStoppedTheTerminalIsAsUsual() async throws {
        counter.signal(SIGTSTP)
        try await eventually("the terminal is put back") { terminal.isUsual }
        // It puts the terminal back before it stops: to go on with it before that would be in vain.
        try await eventually("it has stopped") { counter.isStopped }
        counter.signal(SIGCONT)
        try await eventually("the terminal is taken again") { !terminal.isUsual }
        try counter.type("+")
        try await terminal.shows("count  1")
    }
}
