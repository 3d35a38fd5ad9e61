import FleetTestSupport
import Foundation
import TestTraits
import Testing
import mobius

@Suite("Lines with events")
struct BulkLineTests {
    private func read(_ text: String, isBare: Bool = false) throws(BulkLine.Failure) -> BulkLine {
        try BulkLine(Array(text.utf8), isBare: isBare)
    }

    @Test("a bare event is the line, an envelope names loop and key")
    func envelopes() throws {
        let bare = try read(#" {"added":{"item":"a \"}{"}} "#)
        #expect(bare.event == Array(#" {"added":{"item":"a \"}{"}} "#.utf8))
        #expect(bare.loop == nil && bare.key == nil && !bare.isEnvelope)
        let named = try read(#"{"loop":"inv/42","key":"k\u0031","event": {"paid":[1,"]"]} }"#)
        #expect(named.loop == "inv/42" && named.key == "k1" && named.isEnvelope)
        #expect(String(decoding: named.event, as: UTF8.self) == #"{"paid":[1,"]"]}"#)
        #expect(try read(#"{"event":7}"#).event == Array("7".utf8))
        // Other keys, or the option, make it an event of its own.
        #expect(try read(#"{"event":7,"other":1}"#).event.count == 21)
        #expect(try read(#"{"event":7}"#, isBare: true).event.count == 11)
        for value in ["7", "-1.5e3", "null", "true", #""text""#, "[]", "{}", "[[1],[{}]]"] {
            #expect(try read(value).event == Array(value.utf8))
        }
    }

    @Test(
        "what has no outline of JSON is told",
        arguments: [
            ("nonsense", "it is not JSON"), ("{", "it is not JSON"), ("{} {}", "it is not one JSON value"),
            (#"{"a":"#, "it is not JSON"), (#"{"a":[1}"#, "it is not JSON"),
            (#"{"a":[1"#, "it is not JSON: a bracket is not closed"),
            (#"{"a":"b}"#, "it is not JSON: a string has no end"), (#"{"a" 1}"#, "it is not JSON"),
            ("]", "it is not JSON"),
            (#"{"loop":7,"event":1}"#, "its loop is no string"), (#"{"key":null,"event":1}"#, "its key is no string"),
        ])
    func failures(text: String, reason: String) {
        let failure = #expect(throws: BulkLine.Failure.self) { try read(text) }
        #expect(failure?.reason == reason)
    }

    @Test("lines of any length, with both kinds of ends, from a pipe")
    func reader() throws {
        let folder = try TestFolder()
        let long = String(repeating: "x", count: 200_000)
        let path = folder.file("lines")
        try Data("one\r\n\n\(long)\ntwo\nlast".utf8).write(to: URL(fileURLWithPath: path))
        let file = try #require(FileHandle(forReadingAtPath: path))
        var lines: [LineReader.Line] = []
        var reader = LineReader(file.fileDescriptor, limit: 1000)
        while let line = try reader.next() { lines.append(line) }
        #expect(
            lines == [
                .bytes(Array("one".utf8)), .bytes([]), .tooLong, .bytes(Array("two".utf8)), .bytes(Array("last".utf8)),
            ])
        let pipe = Pipe()
        var slow = LineReader(pipe.fileHandleForReading.fileDescriptor, limit: 1000)
        #expect(slow.mustWait)
        pipe.fileHandleForWriting.write(Data("a\nb".utf8))
        #expect(!slow.mustWait)
        #expect(try slow.next() == .bytes([0x61]))
        #expect(slow.mustWait)
        try pipe.fileHandleForWriting.close()
        #expect(try slow.next() == .bytes([0x62]))
        #expect(try slow.next() == nil)
    }
}
