import FleetTestSupport
import Foundation
import MobiusCoordinator
import MobiusCore
import MobiusWire
import TestTraits
import Testing

/// The models of the past, computed again from a journal.
@Suite(.patient)
struct ReplayTests {
    private let folder: TestFolder
    private let settings: CoordinatorSettings
    private let routes = EffectRouter<String, Int> { _ in .to {} }

    init() throws {
        folder = try TestFolder()
        settings = CoordinatorSettings(name: "shop", journal: .file(folder.file("journal")))
    }

    /// Sends 1, 2, 3 in the first run, 4, 5, 6 in the second and so on: each ends with a snapshot.
    private func fill(runs: Int, keepsHistory: Bool = false) async throws {
        for run in 0..<runs {
            let running = Running<Sums>(folder.file("journal"), routes: routes) { $0.keepsHistory = keepsHistory }
            for event in 1...3 { try await running.coordinator.loop.send(run * 3 + event) }
            try await running.stop()
        }
    }

    private func replay(to last: UInt64? = nil, of loop: LoopID = .main) throws -> [ReplayedEvent<Sums>] {
        var events: [ReplayedEvent<Sums>] = []
        try Coordinator<Sums>.replay(loop, settings, routes: routes, to: last) { events.append($0) }
        return events
    }

    @Test func allEventsAreReplayedFromTheBeginningWithTheirEffects() async throws {
        try await fill(runs: 1)
        let events = try replay()
        #expect(events.map(\.sequence) == [0, 1, 2, 3])
        #expect(events.map(\.model.sum) == [0, 1, 3, 6])
        #expect(events.map(\.effects) == [["start"], ["1"], ["3"], ["6"]])
        #expect(try replay(to: 2).map(\.model.sum) == [0, 1, 3])
        #expect(try replay(to: 0).map(\.model.sum) == [0])
    }

    /// Without history, the journal keeps what came after the older of its two snapshots.
    @Test func aReplayStartsFromASnapshotWhenOlderEventsAreGone() async throws {
        try await fill(runs: 3)
        let events = try replay()
        #expect(events.map(\.sequence) == [6, 7, 8, 9])
        #expect(events.map(\.model.sum) == [21, 28, 36, 45])
        #expect(events.map(\.effects) == [[], ["28"], ["36"], ["45"]])
        let error = #expect(throws: CoordinatorError.self) { try replay(to: 5) }
        #expect(error?.code == .noEvent)
        #expect(error?.message.contains("before event 6 is not kept") == true)
    }

    @Test func withHistoryEveryModelIsKnown() async throws {
        try await fill(runs: 3, keepsHistory: true)
        #expect(try replay().map(\.model.sum) == [0, 1, 3, 6, 10, 15, 21, 28, 36, 45])
    }

    /// More events than are read at a time, while the coordinator runs.
    @Test func aLongLoopThatRunsIsReplayed() async throws {
        let running = Running<Sums>(folder.file("journal"), routes: routes)
        try await withThrowingTaskGroup { group in
            for event in 1...700 { group.addTask { try await running.coordinator.loop.send(event) } }
            try await group.waitForAll()
        }
        let events = try replay()
        #expect(events.map(\.sequence) == Array(0...700))
        #expect(events.last?.model.sum == 700 * 701 / 2)
        try await running.stop()
    }

    @Test func anUnknownLoopIsSaid() async throws {
        try await fill(runs: 1)
        let error = #expect(throws: CoordinatorError.self) { try replay(of: #require(LoopID("other"))) }
        #expect(error?.message == "The journal has no loop other: `mobius journal info` lists its loops.")
    }

    @Test func theCommandPrintsLinesOfJSON() async throws {
        let journal = ["--journal", folder.file("greeter")]
        let greeter = try TestProcess("greeter-coordinator", journal + ["--bind", "ipc://\(folder.file("s"))", "Ada"])
        try await greeter.log("loop ready")
        greeter.signal(SIGTERM)
        #expect(try await greeter.end() == .exited(0))
        func run(_ arguments: String...) async throws -> (TestProcess.End, [[String: Any]], [String]) {
            let process = try TestProcess("greeter-coordinator", journal + arguments)
            let end = try await process.end()
            let lines = try process.output.elements.map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
            return (end, lines, process.errors.elements)
        }
        let (end, lines, _) = try await run("--replay", "main")
        #expect(end == .exited(0))
        #expect(lines.compactMap { $0["sequence"] as? Int } == Array(0..<lines.count))
        #expect(lines.allSatisfy { $0["model"] != nil && ($0["digest"] as? String)?.count == 16 })
        let (_, first, _) = try await run("--replay", "main", "--at", "0")
        #expect(first.count == 1 && first[0]["digest"] as? String == lines[0]["digest"] as? String)
        let (beyond, none, errors) = try await run("--replay", "main", "--at", "1000")
        #expect(beyond == .exited(66) && none.isEmpty)
        #expect(errors.contains { $0.contains("--at is beyond it") })
        #expect(try await run("--at", "3").0 == .exited(64))
    }
}

private enum Sums: InPlaceLoopProgram {
    typealias Event = Int
    typealias Effect = String

    struct Model: Codable, Sendable {
        var sum = 0
    }

    static func initiate() -> First<Model, String> { First(model: Model(), effects: ["start"]) }

    static func update(_ model: inout Model, _ event: Int) -> Change<String> {
        model.sum += event
        return .next(effects: ["\(model.sum)"])
    }
}
