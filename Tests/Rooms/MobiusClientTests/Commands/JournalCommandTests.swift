import FleetTestSupport
import Foundation
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

@Suite("mobius journal", .patient)
struct JournalCommandTests {
    private let folder: TestFolder
    private let path: String

    init() throws {
        folder = try TestFolder()
        path = folder.file("greeter.journal")
    }

    private func journal(_ arguments: String...) async throws -> Command {
        try await Command.mobius(["journal"] + arguments)
    }

    private static func payload(_ type: String, _ json: String) -> Payload {
        Payload(kind: PayloadKind(type: "Greeter.\(type)"), bytes: Array(json.utf8))
    }

    private static func effect(_ sequence: UInt64, _ index: UInt32 = 0) -> EffectID {
        EffectID(loop: .main, sequence: sequence, index: index)
    }

    private static func time(_ seconds: Int64) -> WallTime {
        WallTime(milliseconds: TestFleet.time.milliseconds + seconds * 1000)
    }

    /// A short life: an event from outside, an effect that fails and dies, one that answers, a timer.
    private static let life: [JournalRecord] = [
        .event(
            EventRecord(loop: .main, sequence: 0, source: .start, event: nil, effects: [], ends: nil, time: time(0))),
        .event(
            EventRecord(
                loop: .main, sequence: 1, source: .outside("visit-1"),
                event: payload("Event", "{\n\"visited\":\"ada\"}"),
                effects: [payload("Effect", #"{"greet":"ada"}"#), payload("Effect", #"{"wait":60}"#)], ends: nil,
                time: time(1), dues: [TimerDue(index: 1, due: time(61))])),
        .note(effect(1), .started(Attempt(epoch: 1, number: 1))),
        .note(effect(1), .retried(failures: 1)),
        .note(
            effect(1),
            .deadLettered(
                DeadLetter(
                    id: effect(1), effect: payload("Effect", #"{"greet":"ada"}"#), reason: "no route to host",
                    failures: 2, time: time(3)))),
        .event(
            EventRecord(
                loop: .main, sequence: 2, source: .failure(effect(1), round: 0),
                event: payload("Event", #"{"greetingFailed":"ada"}"#),
                effects: [payload("Effect", #"{"greet":"\#(String(repeating: "bob", count: 30))"}"#)], ends: effect(1),
                time: time(3))),
        .event(
            EventRecord(
                loop: .main, sequence: 3,
                source: .report(AttemptID(effect: effect(2), attempt: Attempt(epoch: 1, number: 2)), number: 1),
                event: payload("Event", #"{"greeted":"bob"}"#), effects: [], ends: effect(2), time: time(4))),
    ]

    private func write(_ records: [JournalRecord] = Self.life, to path: String? = nil) throws -> SQLiteJournal {
        let store = try SQLiteJournal(path: path ?? self.path, application: "greeter", build: "greeter 1.0")
        try store.commit(records)
        return store
    }

    @Test("show: time, number, source, content, effects, notes; while it is open and after")
    func show() async throws {
        let store = try write()
        let live = try await journal("show", path)
        #expect(
            live.output == [
                "2026-03-01T12:00:00.000Z  #0  start",
                "2026-03-01T12:00:01.000Z  #1  key visit-1",
                #"  { "visited":"ada"}"#,
                #"  -> main/1/0  {"greet":"ada"}"#,
                #"  -> main/1/1 due 2026-03-01T12:01:01.000Z  {"wait":60}"#,
                "  * main/1/0 was given out as 1.1, its only attempt",
                "  * main/1/0 failed once",
                "  * main/1/0 failed for good: no route to host",
                "2026-03-01T12:00:03.000Z  #2  failure of main/1/0",
                #"  {"greetingFailed":"ada"}"#,
                #"  -> main/2/0  {"greet":""# + String(repeating: "bob", count: 30) + #""}"#,
                "2026-03-01T12:00:04.000Z  #3  report 1 of main/2/0@1.2, its last",
                #"  {"greeted":"bob"}"#,
            ])
        store.close()
        #expect(try await journal("show", path).output == live.output)
        let last = try await journal("show", path, "--limit", "2", "--full").output
        #expect(last.first == "2026-03-01T12:00:03.000Z  #2  failure of main/1/0")
        #expect(last[2].hasSuffix(#"bobbob"}"#))
        #expect(try await journal("show", path, "--from", "3").output.count == 2)
        #expect(try await journal("show", path, "--from", "4").output.isEmpty)
    }

    @Test("show --json: one object a line, with everything")
    func json() async throws {
        try write().close()
        let lines = try await journal("show", path, "--json").output
        #expect(lines.count == 7)
        #expect(
            lines[1]
                == #"{"kind":"event","loop":"main","sequence":1,"source":"outside","time":"2026-03-01T12:00:01.000Z","#
                + #""key":"visit-1","type":"Greeter.Event","typeVersion":1,"contentType":"application/json","size":18,"#
                + #""event":{ "visited":"ada"},"effectCount":2,"effects":[{"id":"main/1/0","type":"Greeter.Effect","#
                + #""typeVersion":1,"contentType":"application/json","size":15,"effect":{"greet":"ada"}},{"id":"main/1/1","#
                + #""due":"2026-03-01T12:01:01.000Z","type":"Greeter.Effect","typeVersion":1,"#
                + #""contentType":"application/json","size":11,"effect":{"wait":60}}],"epoch":1,"build":"greeter 1.0"}"#
        )
        for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        let notes = lines.filter { $0.contains(#""kind":"note""#) }
        #expect(notes.map { $0.contains(#""part":"#) } == [true, true, true])
    }

    @Test("show --pending: what has not ended")
    func pending() async throws {
        try write().close()
        #expect(
            try await journal("show", path, "--pending").output == [
                "EFFECT    ASKED FOR             FAILED  DUE                   CONTENT",
                #"main/1/1  2026-03-01T12:00:01Z  0       2026-03-01T12:01:01Z  {"wait":60}"#,
            ])
        #expect(
            try await journal("show", path, "--pending", "--json").output.first?.hasPrefix(#"{"id":"main/1/1""#) == true
        )
        #expect(try await journal("show", path, "--pending", "--from", "1").end == .exited(64))
    }

    @Test("the only loop, or main, needs no name; others do")
    func loops() async throws {
        func start(_ name: String) throws -> JournalRecord {
            .event(
                EventRecord(
                    loop: try #require(LoopID(name)), sequence: 0, source: .start, event: nil, effects: [], ends: nil))
        }
        let store = try write([try start("shop/1")])
        #expect(try await journal("show", path).output == ["1970-01-01T00:00:00.000Z  #0  start"])
        try store.commit([try start("shop/2")])
        let two = try await journal("show", path)
        #expect(two.end == .exited(64))
        #expect(two.errors == ["Error: Name one of the journal's loops with --loop: shop/1, shop/2."])
        #expect(try await journal("show", path, "--loop", "shop/2").output.count == 1)
        #expect(try await journal("show", path, "--loop", "shop/3").end == .exited(64))
        let nearest = try await journal("show", path, "--loop", "shpo/1").errors
        #expect(nearest == ["Error: Did you mean shop/1? Name one of the journal's loops with --loop: shop/1, shop/2."])
        let info = try await journal("info", path).output
        #expect(info.first == "Program: greeter")
        #expect(
            Array(info.suffix(3)) == [
                "LOOP    EVENTS  RECORDS  SNAPSHOTS AT  DEAD", "shop/1  0-0     1                      0",
                "shop/2  0-0     1                      0",
            ])
        #expect(
            try await journal("info", path, "--json").output.first?.hasPrefix(#"{"program":"greeter","journal":""#)
                == true)
        store.close()
    }

    @Test("verify: sound, damaged with findings and 74, foreign and missing files")
    func verify() async throws {
        try write().close()
        let sound = try await journal("verify", path)
        #expect(sound.end == .exited(0))
        #expect(sound.output == ["\(path) is sound: 7 records, 0 snapshots, 1 loop"])
        #expect(
            try await journal("verify", path, "--json").output.first?.hasPrefix(#"{"isSound":true,"records":7"#) == true
        )

        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = try #require(bytes.firstRange(of: Data(#"{"greeted":"bob"}"#.utf8)))
        bytes[place.lowerBound + 3] = UInt8(ascii: "X")
        try bytes.write(to: URL(fileURLWithPath: path))
        let damaged = try await journal("verify", path)
        #expect(damaged.end == .exited(74))
        #expect(!damaged.output.isEmpty)
        #expect(damaged.errors.count == 1)

        let text = folder.file("text")
        try Data("no database at all, but a text of some length".utf8).write(to: URL(fileURLWithPath: text))
        for command in ["verify", "show", "info"] {
            #expect(try await journal(command, text).end == .exited(74))
            let missing = try await journal(command, folder.file("none"))
            #expect(missing.end == .exited(66))
            #expect(missing.errors.count == 1)
        }
    }

    @Test("backup of a journal that is open: sound, openable, and never over another file")
    func backup() async throws {
        let store = try write()
        let copy = folder.file("copy.journal")
        let made = try await journal("backup", path, copy)
        #expect(made.output == ["\(copy) is sound: 7 records, 0 snapshots, 1 loop"])
        #expect(made.end == .exited(0))
        let again = try await journal("backup", path, copy)
        #expect(again.end == .exited(73))
        #expect(again.errors.first?.contains(copy) == true)
        #expect(try await journal("backup", path, folder.file("no/such/folder")).end == .exited(73))
        #expect(try await journal("show", copy).output == (try await journal("show", path).output))
        store.close()
        try write([], to: copy).close()
    }

    @Test("restore of a backup: another journal, which goes on, and never over another file")
    func restore() async throws {
        try write().close()
        let restored = folder.file("restored.journal")
        let made = try await journal("restore", path, restored)
        #expect(made.output == ["\(restored) is sound: 8 records, 0 snapshots, 1 loop"])
        #expect(made.end == .exited(0))
        let shown = try await journal("show", restored).output
        #expect(shown.dropLast() == (try await journal("show", path).output)[...])
        #expect(shown.last?.contains("  key mobius journal restore ") == true)
        #expect(try await journal("show", restored, "--limit", "1").output == shown.suffix(1))
        #expect(try await journal("show", restored, "--from", "100").output == shown.suffix(1))
        #expect(try await journal("restore", path, restored).end == .exited(73))
        #expect(try await journal("restore", folder.file("none"), folder.file("new")).end == .exited(66))
        let store = try SQLiteJournal(path: restored, application: "greeter", build: "greeter 1.0")
        let held = try await journal("restore", path, restored)
        #expect(held.end == .exited(75) || held.end == .exited(73))
        store.close()
    }

    @Test("every command has help with exit codes")
    func help() async throws {
        for command in ["info", "show", "verify", "backup", "restore"] {
            #expect(try await journal(command, "--help").output.contains { $0.hasPrefix("Exit codes: 0") })
        }
        #expect(try await journal("--help").output.contains { $0.hasPrefix("  mobius journal show ") })
    }
}
