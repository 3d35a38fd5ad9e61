import MobiusProcess
import MobiusWire
import Testing
import mobius

@Suite("Text on terminals")
struct TextTests {
    @Test("names stay whole, the last column gives way, and never below ten")
    func table() {
        var table = Table("NAME", "NOTE")
        table.add("a", "short")
        table.add("a-name-of-some-length", "漢字漢字漢字漢字漢字漢字")
        #expect(
            table.lines(width: 40) == [
                "NAME                   NOTE", "a                      short", "a-name-of-some-length  漢字漢字漢字漢字…",
            ])
        #expect(table.lines(width: 5).last == "a-name-of-some-length  漢字漢字…")
    }

    @Test("of tables that are too wide the last column gives way first, then names, then the names in ids")
    func narrowTable() {
        var table = Table(.effect("EFFECT"), "AGE", .name("POOL"), "NOTE")
        table.add("shop/customers/4711/1234567/0", "1h", "a-pool-with-a-long-name", "it waits for something")
        table.add("main/1/0", "2m", "p", "ok")
        #expect(table.lines(width: 90).allSatisfy { TerminalText.width($0) <= 90 && !$0.contains("…") })
        #expect(
            table.lines(width: 76)[1] == "shop/customers/4711/1234567/0  1h   a-pool-with-a-long-name  it waits for s…")
        #expect(table.lines(width: 60)[1] == "shop/customers/4711/1234567/0  1h   a-pool…-name  it waits …")
        #expect(table.lines(width: 56)[1] == "shop/customers/4711/1234567/0  1h   a-po…ame  it waits …")
        #expect(table.lines(width: 50)[1].hasPrefix("shop/"))
        for width in 50...100 {
            #expect(table.lines(width: width).allSatisfy { TerminalText.width($0) <= width })
            #expect(table.lines(width: width)[1].contains("/1234567/0"))
        }
        #expect(TerminalText.shortened("漢字漢字漢字", to: 7) == "漢…字")
    }

    @Test("keys that a program does not read, with their places and the nearest known one")
    func unknownKeys() {
        func unknown(_ event: String, _ written: String) -> [String] {
            UnknownKeys.of(Array(event.utf8), writtenAs: Array(written.utf8))
        }
        #expect(unknown(#"{"a":{"b":1}}"#, #"{"a":{"b":1}}"#) == [])
        #expect(
            unknown(#"{"paid":{"amuont":1,"by":"x","id":2}}"#, #"{"paid":{"id":2,"amount":0}}"#)
                == ["paid.amuont (did you mean amount?)", "paid.by"])
        #expect(unknown(#"{"a":null}"#, "{}") == [], "an absent value is often not written")
        #expect(
            unknown(#"{"l":[{"x":1},{"x":1,"y":2,"z":3}]}"#, #"{"l":[{"x":1,"y":2},{"x":1}]}"#) == ["l[].z"])
        #expect(unknown(#"{"t":{"year":1}}"#, #"{"t":"1"}"#) == [], "it is written in another form")
        #expect(unknown("nonsense", "{}") == [])
    }

    @Test("of many held loops five are shown, and a pool without workers has a line")
    func heldLoops() {
        var status = FleetStatus(
            program: "p", build: "b", journal: JournalID(high: 0, low: 1), epoch: 1, started: WallTime(milliseconds: 0),
            maximumPayload: 1, loopCount: 1001, heldCount: 1001)
        status.loops = (0..<1000).compactMap { LoopID("l\($0)") }.map {
            LoopStatus(loop: $0, sequence: 1, pending: 0, isHeld: true)
        }
        let pause = PoolPause(by: "ada", why: "down", since: WallTime(milliseconds: 0))
        status.pools = [
            PoolStatus(pool: "mail", workers: 0, waiting: 2, running: 0),
            PoolStatus(pool: "print", workers: 0, waiting: 2, running: 0, pause: pause),
        ]
        let lines = StatusText(status, width: 100).lines
        #expect(lines.contains("Loops:        1001, ALL HELD: nothing is applied, see mobius quarantine list"))
        #expect(lines.count { $0.hasSuffix("held") && $0.hasPrefix("l") } == 5)
        #expect(lines.contains("… and 996 more loops, 996 of them held"))
        #expect(lines.contains("no worker serves mail: 2 effects wait"))
        #expect(
            lines.last { $0.contains("print") }
                == "the pool print is paused by ada since 1970-01-01T00:00:00.000Z: down")
        #expect(StatusText(status, width: 100, limit: 30).lines.contains("… and 971 more loops, 971 of them held"))
    }

    @Test("control characters and turned writing stand as codes")
    func printable() {
        #expect(TerminalText.line("a\u{1B}[2Jb\nc\u{202E}d") == #"a\u{1b}[2Jb\nc\u{202e}d"#)
        #expect(TerminalText.line("👨‍👩‍👧 ok") == "👨‍👩‍👧 ok")
    }

    @Test(
        "spans are told in two units",
        arguments: [
            (0, "0ms"), (999, "999ms"), (1000, "1s"), (59_999, "59s"), (61_000, "1m01s"), (3_600_000, "1h00m"),
            (86_399_999, "23h59m"), (90_000_000, "1d01h"),
        ])
    func spans(milliseconds: UInt64, text: String) {
        #expect(Times.span(milliseconds: milliseconds) == text)
    }

    @Test("payloads that are no JSON are base 64 for machines and a number for people")
    func payloads() {
        var line = JSONLine()
        let bytes = Payload(kind: PayloadKind(type: "T", contentType: "application/msgpack"), bytes: [1, 2, 255])
        line.set("event", bytes)
        line.set("event", Payload(kind: PayloadKind(type: "T"), bytes: Array("{oops".utf8)))
        line.set("event", Payload(kind: PayloadKind(type: "T"), bytes: Array("{\r\n\"a\":\"\\n\"}".utf8)))
        #expect(line.text == #"{"eventBase64":"AQL/","eventBase64":"e29vcHM=","event":{  "a":"\n"}}"#)
        #expect(bytes.readable == "(3 bytes of application/msgpack)")
    }
    @Test(
        "the passwords of URLs are masked, whatever stands around them",
        arguments: [
            (#"{"start":"http://ann:s3cret@host/a"}"#, #"{"start":"http://ann:***@host/a"}"#),
            (#"{"start":"https:\/\/ann:s3cret@host"}"#, #"{"start":"https:\/\/ann:***@host"}"#),
            (#"["http://:pw@h/","http://u:p@h/"]"#, #"["http://:***@h/","http://u:***@h/"]"#),
            (#"{"mail":"ann@host","time":"12:30@noon","url":"http://host/a:b@c"}"#, nil),
        ])
    func passwords(json: String, shown: String?) {
        #expect(Payload(kind: PayloadKind(type: "T"), bytes: Array(json.utf8)).json == shown ?? json)
    }
}
