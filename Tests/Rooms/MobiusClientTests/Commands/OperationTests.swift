import FleetTestSupport
import Foundation
import MobiusWire
import TestTraits
import Testing

@Suite("mobius status, effects, dead and quarantine", .patient)
struct OperationTests {
    private let fleet = TestFleet()

    @Test("effects as a table, and as JSON")
    func effects() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        let none = try await Command.mobius("effects", connect: coordinator.endpoint)
        #expect(none.output == ["No effects are pending."])
        #expect(none.end == .exited(0))
        fleet.change { state in
            let kind = PayloadKind(type: "Greeter.Effect")
            func effect(_ sequence: UInt64) -> EffectID { EffectID(loop: .main, sequence: sequence, index: 0) }
            state.effects = [
                EffectSummary(
                    id: effect(5), kind: kind, size: 15, pool: "greeters", phase: .running,
                    attempt: Attempt(epoch: 3, number: 1 << 20 | 1),
                    worker: Incarnation(high: 0x0123_4567_89AB_CDEF, low: 1),
                    age: 250),
                EffectSummary(
                    id: effect(6), kind: kind, size: 15, pool: "greeters", phase: .pausing, age: 90_000, failures: 2,
                    reason: "no route\nto \u{1B}[31mhost", due: TestFleet.time, obstacle: "backoff"),
                EffectSummary(
                    id: effect(7), kind: kind, size: 15, pool: nil, phase: .timer, age: 1_000_000_000, name: "wait"),
            ]
        }
        let table = try await Command.mobius("effects", "--wide", connect: coordinator.endpoint)
        #expect(
            table.output == [
                "EFFECT    PHASE    POOL      AGE     FAILED  NOTE",
                "main/5/0  running  greeters  250ms   0       retry 1, on 01234567",
                #"main/6/0  pausing  greeters  1m30s   2       backoff until 2026-03-01T12:00:00Z, no route\nto \u{1b}[31mhost"#,
                "main/7/0  timer    -         11d13h  0       wait",
            ])
        let shown = try await Command.mobius("effects", "show", "main/5/0", connect: coordinator.endpoint)
        #expect(
            shown.output == [
                "Effect:          main/5/0", "Phase:           running", "Pool:            greeters",
                "Worker:          01234567", "Attempt:         1, in epoch 3", "Retried before:  1",
                "Failed attempts: 0",
                "Age:             250ms", "Type:            Greeter.Effect", "{", #"  "greet" : "ada""#, "}",
            ])
        let json = try await Command.mobius("effects", "--json", "--pool", "greeters", connect: coordinator.endpoint)
        let kind = #""type":"Greeter.Effect","typeVersion":1,"contentType":"application/json","size":15}"#
        #expect(
            json.output == [
                #"{"id":"main/5/0","loop":"main","phase":"running","pool":"greeters","ageMilliseconds":250,"failures":0,"#
                    + #""attempt":"3.1048577","worker":"0123456789abcdef0000000000000001","# + kind,
                #"{"id":"main/6/0","loop":"main","phase":"pausing","obstacle":"backoff","pool":"greeters","ageMilliseconds":90000,"#
                    + #""failures":2,"#
                    + #""reason":"no route\nto \u001b[31mhost","due":"2026-03-01T12:00:00.000Z","# + kind,
            ])
        func ids(_ filter: String...) async throws -> [Substring] {
            let run = try await Command.mobius(["effects"] + filter, connect: coordinator.endpoint)
            #expect(run.end == .exited(0))
            return run.output.dropFirst().map { $0.prefix { $0 != " " } }
        }
        #expect(try await ids("--phase", "pausing") == ["main/6/0"])
        #expect(try await ids("--type", "wait") == ["main/7/0"])
        #expect(try await ids("--type", "wait", "--phase", "running") == [])
        let wrong = try await Command.mobius("effects", "--phase", "asleep", connect: coordinator.endpoint)
        #expect(wrong.end == .exited(64))
        #expect(wrong.errors.contains { $0.contains("it is one of waiting, running, pausing, timer, held") })
        let short = try await Command.mobius("effects", "--limit", "2", connect: coordinator.endpoint)
        #expect(short.output.count == 3)
        #expect(short.errors == ["There are more: raise --limit, or go on with --after the last."])
        let rest = try await Command.mobius("effects", "--after", "main/6/0", connect: coordinator.endpoint)
        #expect(rest.output.count == 2)
        #expect(rest.errors.isEmpty)
    }

    @Test("status: whole lines whatever the names are, and one JSON object")
    func status() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        fleet.change { $0.status = .example }
        let short = try await Command.mobius("status", "--limit", "2", "--wide", connect: coordinator.endpoint)
        #expect(short.end == .exited(0))
        #expect(
            short.output == [
                "Program:      greeter, build greeter 1.0",
                "Journal:      0000000000000001000000000000000f, epoch 3",
                "Running:      since 2026-03-01T12:00:00Z",
                "Loops:        2000, 1 held: see mobius quarantine list",
                "Effects:      12 pending",
                "Dead letters: 1: see mobius dead list",
                "LOOP                                EVENTS  PENDING  STATE",
                "shop/42                             8       3        held",
                "a-loop-named-by-a-long-winded-user  6       2        running",
                "… and 1998 more loops",
                "POOL      WORKERS  WAITING  RUNNING  OLDEST  CREDIT",
                "greeters  2        6        1        1m30s   3",
                "movers    0        0        0        -       0",
                "WORKER    POOLS            RUNNING  CREDIT  LAST HEARD  BUILD",
                "01234567  greeters,movers  1        3       40ms ago    greeter-worker 1.0+0123456789abcdef0123456789abcdef",
                "89abcdef  greeters         0        drains  4s ago      greeter-worker 1.0",
            ])
        let json = try await Command.mobius("status", "--json", connect: coordinator.endpoint)
        #expect(json.output.count == 1)
        let object = try JSONDecoder().decode(ShownStatus.self, from: Data(json.output[0].utf8))
        #expect(object.loops.map(\.lastSequence) == [8, 6, 0] && object.loops.map(\.isHeld) == [true, false, false])
        #expect(object.pools.map(\.oldestMilliseconds) == [90_000, nil])
        #expect(object.workers.map(\.pools) == [["greeters", "movers"], ["greeters"]])
        #expect(object.epoch == 3 && object.deadLetters == 1)
        #expect(try await Command.mobius("status", "--limit", "0").end == .exited(64))
        let idle = FleetStatus(
            program: "idle", build: "1", journal: .init(high: 0, low: 1), epoch: 1, started: TestFleet.time,
            maximumPayload: 1, loopCount: 1, loops: [LoopStatus(loop: .main, sequence: 0, pending: 0)])
        fleet.change { $0.status = idle }
        let bare = try await Command.mobius("status", connect: coordinator.endpoint)
        #expect(
            Array(bare.output.suffix(4)) == [
                "LOOP  EVENTS  PENDING  STATE", "main  0       0        running", "No pool is in use.",
                "No worker is there.",
            ])
        await coordinator.end()
        let none = try await Command.mobius("status", "--timeout", "200ms", connect: coordinator.endpoint)
        #expect(none.end == .exited(69))
    }

    @Test("pools are paused, with a note where nothing names them, and resumed once")
    func pools() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        fleet.change { $0.status = .example }
        func run(_ arguments: String...) async throws -> Command {
            try await Command.mobius(["pools"] + arguments, connect: coordinator.endpoint)
        }
        let known = try await run("pause", "greeters", "--why", "w")
        #expect(known.end == .exited(0) && known.errors.isEmpty)
        let unknown = try await run("pause", "greters", "--why", "w")
        #expect(unknown.end == .exited(0) && unknown.output.first?.hasPrefix("greters paused, at ") == true)
        #expect(unknown.errors == ["No worker and no effect that waits names the pool greters: check its spelling."])
        #expect(try await run("resume", "greeters").end == .exited(0))
        let again = try await run("resume", "greeters")
        #expect(again.end == .exited(1) && again.output.isEmpty)
        #expect(again.errors.first?.hasPrefix("Error: The pool greeters is not paused, at ") == true)
    }

    @Test("lists go over as many pages as are wanted")
    func pages() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        fleet.bury(2345)
        let run = try await Command.mobius("dead", "list", "--limit", "3000", connect: coordinator.endpoint)
        #expect(run.output.count == 2346)
        #expect(run.output.last == "main/2345/0  2026-03-01T12:00:00Z  greeters  5       no route to host")
        // One for each page; a page that took more than a second is asked for again.
        #expect(Set(coordinator.requests.elements).count == 3)
    }

    @Test("dead letters are listed, shown, retried once and dropped")
    func dead() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        func dead(_ arguments: String...) async throws -> Command {
            try await Command.mobius(["dead"] + arguments, connect: coordinator.endpoint)
        }
        let place = coordinator.endpoint
        #expect(try await dead("list").output == ["There are no dead letters."])
        fleet.bury(4)
        #expect(
            try await dead("list", "--limit", "1").output == [
                "EFFECT    SINCE                 POOL      FAILED  REASON",
                "main/1/0  2026-03-01T12:00:00Z  greeters  5       no route to host",
            ])
        #expect(
            try await dead("show", "main/2/0").output == [
                "Effect:          main/2/0", "Since:           2026-03-01T12:00:00Z", "Pool:            greeters",
                "Failed attempts: 5", "Reason:          no route to host", "Type:            Greeter.Effect", "{",
                #"  "greet" : "ada/2""#, "}",
            ])
        let shown = try await dead("show", "main/2/0", "--json").output
        #expect(shown.first?.hasSuffix(#""size":20,"effect":{  "greet": "ada/2"}}"#) == true)

        let retried = try await dead("retry", "main/1/0", "main/9/9", "main/2/0")
        #expect(retried.output == ["main/1/0 retried, at \(place)", "main/2/0 retried, at \(place)"])
        #expect(retried.errors == ["main/9/9 is no dead letter"])
        #expect(retried.end == .exited(1))
        #expect(
            try await dead("retry", "main/1/0").output == ["main/1/0 is pending, or was retried before, at \(place)"])
        #expect(try await dead("drop", "main/3/0").output == ["main/3/0 dropped, at \(place)"])
        #expect(try await dead("retry", "--all").output == ["1 retried, at \(place)"])
        #expect(fleet.change { $0.effects.map(\.id.sequence) } == [1, 2, 4])

        for wrong in [
            ["retry"], ["retry", "main/1/0", "--all"], ["retry", "main/1"], ["drop"], ["list", "--limit", "0"],
            ["drop", "main/1/0", "--all"], ["drop", "main/1/0", "--loop", "main"],
        ] {
            #expect(try await Command.mobius(["dead"] + wrong, connect: coordinator.endpoint).end == .exited(64))
        }
    }

    @Test("what is done to all dead letters goes on at one that refuses, and lists it", arguments: ["retry", "drop"])
    func bulk(act: String) async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        let ended = try #require(LoopID("a"))
        let done = act == "retry" ? "retried" : "dropped"
        fleet.bury(2, loop: ended)
        fleet.bury(3)
        fleet.change { $0.ended = [ended] }
        let all = try await Command.mobius("dead", act, "--all", connect: coordinator.endpoint)
        #expect(all.end == .exited(3))
        #expect(all.output == ["3 \(done), 2 could not be, at \(coordinator.endpoint)"])
        #expect(all.errors == ["a/1/0: The loop a has ended.", "a/2/0: The loop a has ended."])
        fleet.bury(2)
        let named = try await Command.mobius(
            "dead", act, "main/1/0", "a/1/0", "main/2/0", connect: coordinator.endpoint)
        #expect(named.end == .exited(1))
        #expect(named.output.count == 2)
        #expect(named.errors == ["a/1/0: The loop a has ended."])
        let json = try await Command.mobius(
            "dead", act, "--all", "--loop", "a", "--json", connect: coordinator.endpoint)
        #expect(json.output == [#"{"\#(done)":0,"failed":2,"target":"\#(coordinator.endpoint)"}"#])
        fleet.change { $0.ended = [] }
        let rest = try await Command.mobius("dead", act, "--all", connect: coordinator.endpoint)
        #expect(rest.end == .exited(0))
        #expect(rest.output == ["2 \(done), at \(coordinator.endpoint)"])
    }

    @Test("held loops are listed, shown and released")
    func quarantine() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        func quarantine(_ arguments: String...) async throws -> Command {
            try await Command.mobius(["quarantine"] + arguments, connect: coordinator.endpoint)
        }
        #expect(try await quarantine("list").output == ["No loop is held."])
        let shop = try #require(LoopID("shop/42"))
        fleet.hold(.main)
        fleet.hold(shop)
        #expect(
            try await quarantine("list").output == [
                "LOOP     SINCE                 EVENT  CRASHES  WAITING  SOURCE",
                "main     2026-03-01T12:00:00Z  8      2        3        key visit-4712",
                "shop/42  2026-03-01T12:00:00Z  8      2        3        key visit-4712",
            ])
        #expect(
            try await quarantine("show", "shop/42").output == [
                "Loop:            shop/42", "Held since:      2026-03-01T12:00:00Z",
                "Crashes:         2, the last of build greeter 1.0", "Effects waiting: 3",
                "Event:           8: key visit-4712", "Type:            Greeter.Event", "[", "  1", "]",
            ])
        #expect(try await quarantine("show", "shop/42", "--json").output.first?.hasSuffix(#","event":[1]}"#) == true)
        #expect(try await quarantine("release", "shop/42").output == ["shop/42 released, at \(coordinator.endpoint)"])
        #expect(
            try await quarantine("release", "main", "--drop").output == [
                "main released, event 8 dropped, at \(coordinator.endpoint)"
            ])
        fleet.holdUnread(shop)
        #expect(
            try await quarantine("show", "shop/42").output == [
                "Loop:            shop/42", "Held since:      2026-03-01T12:00:00Z",
                "Crashes:         none", "Effects waiting: 3",
                "Event:           8: event 8 in the journal cannot be read",
            ])
        let again = try await quarantine("release", "main")
        #expect(again.end == .exited(1))
        #expect(again.errors == ["Error: The coordinator at \(coordinator.endpoint) has no held loop main."])
    }

    @Test("every command has help with examples or exit codes")
    func help() async throws {
        let commands = [
            ["status"], ["send"], ["effects"], ["dead", "list"], ["dead", "show"], ["dead", "retry"], ["dead", "drop"],
            ["quarantine", "list"], ["quarantine", "show"], ["quarantine", "release"],
        ]
        for command in commands {
            let run = try await Command.mobius(command + ["--help"])
            #expect(run.end == .exited(0))
            #expect(run.output.contains { $0.hasPrefix("Exit codes: 0") })
        }
        for command in ["status", "send", "effects", "dead", "quarantine"] {
            let run = try await Command.mobius(command, "--help")
            #expect(run.output.contains { $0.hasPrefix("  mobius \(command) ") })
        }
    }
}

/// What `mobius status --json` prints, as a script would read it.
private struct ShownStatus: Decodable {
    struct Loop: Decodable {
        var lastSequence: UInt64
        var isHeld: Bool
    }

    struct Pool: Decodable {
        var oldestMilliseconds: UInt64?
    }

    struct Worker: Decodable {
        var pools: [String]
    }

    var epoch: UInt64
    var deadLetters: UInt64
    var loops: [Loop]
    var pools: [Pool]
    var workers: [Worker]
}
