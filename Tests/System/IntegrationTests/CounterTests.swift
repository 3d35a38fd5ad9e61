import FleetTestSupport
import Foundation
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The first stage: the counter in one process.
@Suite(.patient)
struct CounterLoopTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func start(_ arguments: [String] = ["--player", "none"], path: String? = nil) throws -> TestProcess {
        let environment = path.map { ["PATH": $0] } ?? [:]
        return try TestProcess("counter-loop", arguments, environment: environment, in: folder.path, input: .pipe)
    }

    @Test func pipedKeysAreCounted() async throws {
        let counter = try start()
        #expect(try await counter.finish(typing: "++-\n--+") == .exited(0))
        #expect(counter.counts == ["0", "1", "2", "1", "0", "1"])
        #expect(counter.output.elements.last == "history 0 1 2 1 0 1")
    }

    @Test func aPauseGoesOnFromTheLastModel() async throws {
        let counter = try start()
        try counter.type("++p")
        try await counter.shows("state paused")
        #expect(try await counter.finish(typing: "+++p+q+") == .exited(0))
        #expect(counter.counts == ["0", "1", "2", "3"])
        #expect(counter.output.elements.contains("state running"))
    }

    @Test func theNextProcessGoesOnFromTheStateFile() async throws {
        let state = ["--player", "none", "--state", "count.json"]
        #expect(try await start(state).finish(typing: "+++") == .exited(0))
        let second = try start(state)
        try second.type("-p")
        try await second.shows("state paused")
        // Saved by the pause already.
        #expect(try String(contentsOfFile: folder.file("count.json"), encoding: .utf8) == #"{"count":2}"#)
        second.signal(SIGTERM)
        #expect(try await second.end() == .exited(0))
        #expect(second.counts == ["3", "2"])
    }

    @Test func belowZeroTheSoundIsPlayed() async throws {
        let player = try FakePlayer("paplay", in: folder)
        let counter = try start(["--sound", "plop.wav"], path: player.path)
        // The sound of the last key is played, too.
        #expect(try await counter.finish(typing: "+--") == .exited(0))
        try await player.plays("plop.wav")
        #expect(counter.counts == ["0", "1", "0"])
    }

    @Test func whatCannotBeUsedIsToldAtOnce() async throws {
        try Data(#"{"count":-1}"#.utf8).write(to: URL(fileURLWithPath: folder.file("damaged")))
        for (arguments, code, word) in [
            (["--state", "damaged"], 74, "damaged"), (["--state", "/no/such/folder/s"], 73, "/no/such/folder/s"),
            (["--state", "."], 66, "--state"), (["--player", "trumpet"], 64, "trumpet"),
        ] {
            let counter = try start(arguments)
            #expect(try await counter.end() == .exited(Int32(code)), "\(arguments)")
            #expect(counter.said.contains(word), "\(arguments)")
        }
    }
}

/// The second and the third stage: sounds are played by other processes.
@Suite(.patient)
struct CounterFleetTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func counter(_ executable: String, bind endpoint: String? = nil) throws -> TestProcess {
        let endpoint = endpoint ?? "ipc://\(folder.file("s"))"
        return try TestProcess(executable, ["--bind", endpoint], in: folder.path, input: .pipe)
    }

    private func player(_ arguments: [String] = ["--player", "none"], path: String? = nil) throws -> TestProcess {
        let environment = path.map { ["PATH": $0] } ?? [:]
        return try TestProcess(
            "sound-player", ["--connect", "ipc://\(folder.file("s"))"] + arguments, environment: environment)
    }

    @Test(arguments: ["counter-pool", "counter"])
    func belowZeroAWorkerPlaysTheSound(_ executable: String) async throws {
        let fake = try FakePlayer("aplay", in: folder)
        let worker = try player(["--player", "aplay", "--sound", "plop.wav"], path: fake.path)
        let counter = try counter(executable)
        try counter.type("-+")
        try await counter.shows("count 1")
        try await worker.output.wait(for: "the sound") { $0 == ["Sound: aplay plop.wav"] }
        try await fake.plays("plop.wav")
        try counter.type("q")
        #expect(try await counter.end() == .exited(0))
        worker.signal(SIGTERM)
        #expect(try await worker.end() == .exited(0))
    }

    @Test(arguments: ["counter-pool", "counter"])
    func theSoundOfAKilledWorkerIsPlayedByTheNext(_ executable: String) async throws {
        let fake = try FakePlayer("paplay", hangs: true, in: folder)
        let first = try player(["--player", "paplay", "--sound", "plop.wav"], path: fake.path)
        let counter = try counter(executable)
        try counter.type("-")
        try await fake.plays("plop.wav")
        try await first.kill()
        let second = try player()
        try await second.output.wait(for: "the sound") { $0 == ["Sound: silent"] }
        #expect(first.output.elements == [])
        try counter.type("q")
        #expect(try await counter.end() == .exited(0))
    }

    @Test func theCountSurvivesSIGKILL() async throws {
        let first = try counter("counter")
        try first.type("-++++")
        try await first.shows("count 4")
        first.signal(SIGKILL)
        #expect(try await first.end() == .signalled(SIGKILL))
        let second = try counter("counter")
        try await second.shows("count 4")
        #expect(try await second.finish(typing: "-") == .exited(0))
        #expect(second.counts == ["4", "3"])
    }

    @Test func aSoundAskedForBeforeSIGKILLIsPlayedAfterwards() async throws {
        let first = try counter("counter")
        try first.type("-+")
        // The keys are taken one after the other, so the sound was asked for, too.
        try await first.shows("count 1")
        first.signal(SIGKILL)
        try await first.end()
        let second = try counter("counter")
        let worker = try player()
        try await worker.output.wait(for: "the sound") { $0 == ["Sound: silent"] }
        #expect(try await second.finish(typing: "") == .exited(0))
        #expect(second.counts == ["1"])
    }

    @Test(arguments: ["counter-pool", "counter"])
    func anEndpointThatIsTakenIs69(_ executable: String) async throws {
        let first = try counter("counter-pool", bind: "tcp://127.0.0.1:*")
        try await first.log("listening")
        let endpoint = try #require(first.said.firstMatch(of: /endpoint=(tcp:\S+)/)).1
        let second = try counter(executable, bind: String(endpoint))
        #expect(try await second.end() == .exited(69))
        #expect(second.said.contains(endpoint))
    }

    @Test func aSignalStopsThemOrderly() async throws {
        for executable in ["counter-pool", "counter"] {
            let counter = try counter(executable)
            try await counter.shows("count 0")
            counter.signal(SIGINT)
            #expect(try await counter.end() == .exited(0), "\(executable)")
        }
    }

    @Test func everyCounterExplainsItself() async throws {
        for name in ["counter-loop", "counter-pool", "counter", "sound-player"] {
            let process = try TestProcess(name, ["--help"])
            #expect(try await process.end() == .exited(0))
            let help = process.output.elements.joined(separator: "\n")
            #expect(help.contains("USAGE: \(name)") && help.contains("Examples:"), "\(name)")
        }
    }
}

/// A counter that shows what it does line by line.
extension TestProcess {
    /// The lines with the number.
    fileprivate var counts: [String] {
        output.elements.filter { $0.hasPrefix("count ") }.map { String($0.dropFirst(6)) }
    }

    /// Everything on its standard error.
    fileprivate var said: String { errors.elements.joined(separator: "\n") }

    /// Waits until it has shown the line.
    fileprivate func shows(_ line: String) async throws {
        try await output.wait(for: "\"\(line)\" from \(name)") { $0.contains(line) }
    }

    /// Types the last keys and waits for its end.
    fileprivate func finish(typing keys: String) async throws -> End {
        try type(keys)
        try endInput()
        return try await end()
    }
}
