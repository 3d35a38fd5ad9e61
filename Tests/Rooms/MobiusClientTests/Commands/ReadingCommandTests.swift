import FleetTestSupport
import Foundation
import MobiusWire
import TestTraits
import Testing

@Suite("mobius model, watch, loops and history", .patient)
struct ReadingCommandTests {
    private let fleet = TestFleet()
    private let journal = JournalID(high: 1, low: 15)

    private func keep(_ payload: Payload, at sequence: UInt64 = 7, of loop: LoopID = .main) {
        let version = ModelVersion(journal: journal, sequence: sequence)
        fleet.change { $0.models[loop] = (ModelSummary(loop: loop, version: version, build: "b 1"), payload) }
    }

    @Test("a model is shown with its event; passwords are masked; what has no JSON form is named")
    func model() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        keep(
            Payload(
                kind: PayloadKind(type: "App.Model"), bytes: Array(#"{"url":"https://ada:secret@example.org/"}"#.utf8)))
        let shown = try await Command.mobius("model", connect: coordinator.endpoint)
        #expect(
            shown.output == [
                "Loop:  main", "Event: 7", "Build: b 1", "Type:  App.Model", "{",
                #"  "url" : "https://ada:***@example.org/""#, "}",
            ])
        let json = try await Command.mobius("model", "--json", connect: coordinator.endpoint)
        let start = #"{"loop":"main","sequence":7,"journal":"0000000000000001000000000000000f","build":"b 1","#
        #expect(
            json.output == [
                start + #""type":"App.Model","typeVersion":1,"contentType":"application/json","size":41,"#
                    + #""model":{"url":"https://ada:***@example.org/"}}"#
            ])
        keep(Payload(kind: PayloadKind(type: "M", contentType: PayloadKind.fastContentType), bytes: [1, 2, 3]))
        let opaque = try await Command.mobius("model", connect: coordinator.endpoint)
        #expect(opaque.output.last == "(3 bytes of application/vnd.mobius.fast)")
        let watched = try await Command.mobius("watch", "--count", "1", connect: coordinator.endpoint)
        #expect(watched.output == ["#7  M (application/vnd.mobius.fast, 3 bytes)"])
        let missing = try await Command.mobius("model", "shop", connect: coordinator.endpoint)
        #expect(missing.end == .exited(1))
        #expect(missing.errors == ["Error: The coordinator at \(coordinator.endpoint) has no loop shop."])
    }

    @Test("loops with long names are shortened to 80 columns, and whole with --wide")
    func loops() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        let long = String(repeating: "n", count: 128)
        let name = try #require(LoopID(long))
        keep(Payload(kind: PayloadKind(type: "M"), bytes: []), of: name)
        keep(Payload(kind: PayloadKind(type: "M"), bytes: []))
        let table = try await Command.mobius("loops", connect: coordinator.endpoint)
        #expect(
            table.output.prefix(2) == [
                "EVENTS  PENDING  STATE  LAST EVENT  LOOP", "7       0        idle   -           main",
            ])
        #expect(table.output.count == 3)
        let whole = try await Command.mobius("loops", "--wide", connect: coordinator.endpoint)
        #expect(whole.output.count == 3 && whole.output[2].hasSuffix(long))
        let json = try await Command.mobius("loops", "--json", "--prefix", "n", connect: coordinator.endpoint)
        #expect(json.output == [#"{"loop":"\#(long)","lastSequence":7,"pendingEffects":0,"state":"idle"}"#])
        let wrong = try await Command.mobius("loops", "--state", "busy", connect: coordinator.endpoint)
        #expect(wrong.end == .exited(64))
        #expect(wrong.errors.joined().contains("--state is running, idle, held or ended."))
    }

    @Test("events and effects with their fields, one of them with an example, and the schema as it is")
    func events() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        let schema = [
            ##"{"$defs":{"Event":{"oneOf":[{"type":"object","properties":{"paid":{"type":"object","properties":"##,
            ##"{"amount":{"type":["integer","null"]},"by":{"type":"string"},"to":{"$ref":"#/$defs/Place"}},"##,
            ##""required":["by","to"]}},"required":["paid"],"additionalProperties":false,"##,
            ##""examples":[{"paid":{"by":"text"}}]}]},"Effect":{"type":"string"},"Model":{},"##,
            ##""Place":{"type":"string","enum":["here","there"]}}}"##,
        ].joined()
        fleet.change { $0.schema = schema }
        let table = try await Command.mobius("events", connect: coordinator.endpoint)
        #expect(
            table.output == [
                "EVENT  FIELDS", "paid   by: text, to: Place, amount: integer?", "", "EFFECT  FIELDS", "-       text",
                "",
                "TYPE   FIELDS", "Place  here|there",
            ])
        let one = try await Command.mobius("events", "paid", connect: coordinator.endpoint)
        #expect(
            one.output == [
                "Event:   paid", "Field:   by: text", "Field:   to: Place", "Field:   amount: integer?",
                #"Example: {"paid":{"by":"text"}}"#,
            ])
        let json = try await Command.mobius("events", "Place", "--json", connect: coordinator.endpoint)
        #expect(
            json.output == [
                #"{"kind":"type","name":"Place","fields":[{"type":"here|there","isOptional":false}]}"#
            ])
        let whole = try await Command.mobius("events", "--schema", "--json", connect: coordinator.endpoint)
        #expect(whole.output == [schema])
        let wrong = try await Command.mobius("events", "payd", connect: coordinator.endpoint)
        #expect(wrong.end == .exited(1))
        #expect(
            wrong.errors == ["Error: The program has no event or effect payd. Did you mean paid? See mobius events."])
    }

    @Test("a history shows causes, effects and notes, and says from where on it is known")
    func history() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        let kind = PayloadKind(type: "Event")
        let id = EffectID(loop: .main, sequence: 5, index: 0)
        let event = HistoryPayload(kind: kind, size: 3, bytes: Array("[1]".utf8))
        let large = HistoryPayload(kind: PayloadKind(type: "Effect"), size: 1 << 20, bytes: nil)
        keep(Payload(kind: kind, bytes: []), at: 6)
        fleet.change { [event] state in
            state.history[.main] = [
                HistoryEntry(
                    HistoryPlace(sequence: 5), of: id.loop, .outside, time: TestFleet.time, epoch: 1, build: "b",
                    key: "k",
                    event: event, effects: [HistoryEffect(id, effect: large)], effectCount: 2),
                HistoryEntry(
                    HistoryPlace(sequence: 5, part: 1), of: id.loop, .retried, epoch: 1, build: "b", effect: id,
                    failures: 1),
                HistoryEntry(
                    HistoryPlace(sequence: 6), of: id.loop, .failure, time: TestFleet.time, epoch: 2, build: "b",
                    effect: id,
                    ends: id, event: event),
            ]
        }
        let shown = try await Command.mobius("history", "--from", "0", connect: coordinator.endpoint)
        #expect(
            shown.output == [
                "2026-03-01T12:00:00.000Z  #5  key k", "  [1]",
                "  -> main/5/0  Effect (application/json, 1048576 bytes)", "  -> and 1 more effects",
                "  * main/5/0 failed once", "2026-03-01T12:00:00.000Z  #6  failure of main/5/0", "  [1]",
            ])
        #expect(
            shown.errors == [
                "The history before event 5 is not kept: a coordinator keeps more with --keep-history."
            ])
        let json = try await Command.mobius("history", "--json", "--limit", "1", connect: coordinator.endpoint)
        #expect(json.errors.isEmpty)
        #expect(
            json.output == [
                #"{"kind":"event","loop":"main","sequence":6,"source":"failure","time":"2026-03-01T12:00:00.000Z","#
                    + #""effect":"main/5/0","ends":"main/5/0","type":"Event","typeVersion":1,"#
                    + #""contentType":"application/json","size":3,"event":[1],"effectCount":0,"effects":[],"epoch":2,"#
                    + #""build":"b"}"#
            ])
    }
}
