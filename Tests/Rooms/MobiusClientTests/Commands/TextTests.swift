import MobiusCommand
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
        let bytes = Payload(kind: PayloadKind(type: "T", contentType: "application/cbor"), bytes: [1, 2, 255])
        line.set("event", bytes)
        line.set("event", Payload(kind: PayloadKind(type: "T"), bytes: Array("{oops".utf8)))
        line.set("event", Payload(kind: PayloadKind(type: "T"), bytes: Array("{\r\n\"a\":\"\\n\"}".utf8)))
        #expect(line.text == #"{"eventBase64":"AQL/","eventBase64":"e29vcHM=","event":{  "a":"\n"}}"#)
        #expect(bytes.readable == "(3 bytes of application/cbor)")
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
