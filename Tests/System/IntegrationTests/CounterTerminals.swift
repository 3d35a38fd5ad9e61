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
        counter = try TestProcess(
            "counter-loop", ["--player", "none", "--state", "s"], environment: ["TERM": "xterm"], in: folder.path,
            input: .terminal(terminal))
        try await terminal.shows("q quit, then the return key")
    }

    @Test func aLineOfKeysCounts() async throws {
        #expect(terminal.isUsual)
        try counter.type("++\n")
        try await terminal.shows("history 0 1 2")
        try counter.type("q\n")
        #expect(try await counter.end() == .exited(0))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func aSignalSavesTheModel(_ signal: Int32) async throws {
        try counter.type("+\n")
        try await terminal.shows("count 1")
        counter.signal(signal)
        #expect(try await counter.end() == .exited(0))
        let saved = try String(contentsOfFile: folder.file("s"), encoding: .utf8)
        #expect(saved == #"{"count":1}"#)
    }

    @Test func theEndOfTheInputQuits() async throws {
        try counter.type("\u{4}")
        #expect(try await counter.end() == .exited(0))
    }
}
