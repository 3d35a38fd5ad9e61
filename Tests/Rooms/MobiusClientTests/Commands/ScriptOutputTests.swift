import FleetTestSupport
import Foundation
import MobiusWire
import TestTraits
import Testing

/// The keys that `--json` prints are just those of the page about them.
@Suite("JSON for scripts", .patient)
struct ScriptOutputTests {
    private let fleet = TestFleet()
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    /// The documented keys of each command, by its heading.
    private func documented() throws -> [String: Set<String>] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../../Sources/MobiusFleet/MobiusFleet.docc/ScriptOutput.md")
        var keys: [String: Set<String>] = [:]
        var command = ""
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("### ") { command = String(line.dropFirst(4)) }
            guard line.hasPrefix("| `"), let cell = line.split(separator: "|").first else { continue }
            let names = cell.split(separator: ",").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
            keys[command, default: []].formUnion(names)
        }
        for list in ["mobius effects", "mobius dead", "mobius quarantine"] {
            let common = keys["\(list) list"] ?? []
            keys["\(list) show"]?.formUnion(common)
        }
        return keys
    }

    /// The keys in lines of output; those of lists of objects with the list's name.
    private func printed(_ lines: [String]) throws -> Set<String> {
        var keys: Set<String> = []
        for line in lines {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            for (key, value) in object {
                keys.insert(key)
                // Payloads have keys of their programs.
                guard !["event", "effect", "model", "example"].contains(key), let list = value as? [[String: Any]]
                else { continue }
                for element in list { keys.formUnion(element.keys.map { "\(key)[].\($0)" }) }
            }
        }
        return keys
    }

    private func check(_ heading: String, _ runs: [[String]], _ endpoint: String) async throws {
        var keys: Set<String> = []
        for arguments in runs {
            let run = try await Command.mobius(arguments + ["--json"], connect: endpoint)
            #expect(!run.output.isEmpty, "\(arguments): \(run.errors)")
            keys.formUnion(try printed(run.output))
        }
        let documented = try #require(try documented()[heading], "The page lacks \(heading).")
        #expect(keys.subtracting(documented).sorted() == [], "\(heading) prints keys that the page lacks")
        #expect(documented.subtracting(keys).sorted() == [], "\(heading) does not print keys of the page")
    }

    @Test func sending() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        try await check("mobius send", [["send", "1"]], coordinator.endpoint)
        let path = folder.file("lines")
        try Data("1\n{\n".utf8).write(to: URL(fileURLWithPath: path))
        try await check(
            "mobius send --file", [["send", "--file", path, "--key-prefix", "p"]], coordinator.endpoint)
    }

    @Test func reading() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        let kind = PayloadKind(type: "T")
        let payload = Payload(kind: kind, bytes: Array(#"[{"a":1}]"#.utf8))
        let summary = ModelSummary(
            loop: .main, version: ModelVersion(journal: JournalID(high: 1, low: 2), sequence: 3), build: "b",
            isMasked: true)
        fleet.change { $0.models[.main] = (summary, payload) }
        try await check("mobius model", [["model"], ["watch", "--count", "1"]], coordinator.endpoint)
        let loop = LoopSummary(loop: .main, sequence: 1, pending: 2, state: .running, time: TestFleet.time)
        fleet.change { $0.excuse = .loops([loop], next: nil) }
        try await check("mobius loops", [["loops"]], coordinator.endpoint)
        let content = HistoryPayload(kind: kind, size: 9, bytes: payload.bytes)
        let id = EffectID(loop: .main, sequence: 1, index: 0)
        let entries = [UInt32(0), 1].map { part in
            HistoryEntry(
                HistoryPlace(sequence: 1, part: part), of: id.loop, part == 0 ? .outside : .retried,
                time: TestFleet.time, epoch: 1,
                build: "b", key: "k", effect: id, attempt: Attempt(epoch: 1, number: 1), report: 1, round: 1,
                due: TestFleet.time, ends: id, failures: 1, reason: "r", event: content,
                effects: [HistoryEffect(id, effect: content, due: TestFleet.time)], effectCount: 1, worker: "w", by: id,
                askedBy: "ada", act: "end", mayBeginAgain: true)
        }
        fleet.change { $0.excuse = .history(HistoryPage(entries, first: 0, more: false)) }
        try await check("mobius history", [["history", "--from", "0"]], coordinator.endpoint)
        fleet.change {
            $0.excuse = nil
            $0.schema = [
                ##"{"$defs":{"Event":{"type":"object","properties":{"a":{"type":"object","properties":{"b":{}}}},"##,
                ##""additionalProperties":false,"examples":[{"a":{}}]},"Effect":{"type":"string"}}}"##,
            ].joined()
        }
        try await check("mobius events", [["events"]], coordinator.endpoint)
    }

    @Test func operating() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        let kind = PayloadKind(type: "T")
        let payload = Payload(kind: kind, bytes: Array("[1]".utf8))
        let effect = EffectSummary(
            id: EffectID(loop: .main, sequence: 1, index: 0), kind: kind, size: 3, pool: "p", phase: .pausing,
            attempt: Attempt(epoch: 1, number: 1), worker: Incarnation(high: 1, low: 2), age: 1, failures: 1,
            reason: "r", due: TestFleet.time, obstacle: "o", workerName: "w", name: "n")
        fleet.change { $0.excuse = .effects([effect], more: false) }
        try await check("mobius effects list", [["effects", "list"]], coordinator.endpoint)
        fleet.change { $0.excuse = .effect(effect, payload: payload) }
        try await check("mobius effects show", [["effects", "show", "main/1/0"]], coordinator.endpoint)
        fleet.change { $0.excuse = nil }
        fleet.change { $0.effects = [effect] }
        try await check("mobius effects list --why", [["effects", "--why", "main"]], coordinator.endpoint)
        try await check(
            "mobius effects cancel", [["effects", "cancel", "main/1/0", "--why", "w"]], coordinator.endpoint)
        try await check("mobius end", [["end", "main", "--why", "w"]], coordinator.endpoint)
        fleet.change { $0.ended = [] }
        try await check(
            "mobius pools pause", [["pools", "pause", "p", "--why", "w"], ["pools", "resume", "p"]],
            coordinator.endpoint)
        fleet.bury(3)
        try await check("mobius dead list", [["dead", "list"]], coordinator.endpoint)
        try await check("mobius dead show", [["dead", "show", "main/1/0"]], coordinator.endpoint)
        try await check(
            "mobius dead retry",
            [
                ["dead", "retry", "main/1/0"], ["dead", "drop", "main/2/0"], ["dead", "retry", "--all"],
                ["dead", "drop", "--all"],
            ],
            coordinator.endpoint)
        fleet.hold(.main)
        try await check("mobius quarantine list", [["quarantine", "list"]], coordinator.endpoint)
        try await check("mobius quarantine show", [["quarantine", "show", "main"]], coordinator.endpoint)
        try await check("mobius quarantine release", [["quarantine", "release", "main"]], coordinator.endpoint)
        var status = FleetStatus.example
        (status.events, status.heldCount) = (1, 1)
        status.pools[0].ready = 1
        status.pools[0].oldestReady = 1
        status.pools[0].pause = PoolPause(by: "ada", why: "w", since: TestFleet.time)
        status.workers[0].name = "w"
        fleet.change { [status] in $0.status = status }
        try await check("mobius status", [["status"]], coordinator.endpoint)
        let version = try await Command.mobius("version", "--json")
        #expect(try printed(version.output) == documented()["mobius version"])
    }
}
