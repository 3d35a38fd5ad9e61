import ArgumentParser
import Foundation
import Logging
import MobiusProcess
import Synchronization
import Testing

@Suite("Log lines and log levels")
struct LoggingTests {
    private static let noon = Date(timeIntervalSince1970: 1_772_366_400.25)

    private static func line(_ message: String, _ metadata: Logger.Metadata = [:]) -> String {
        FleetLogHandler.line(time: noon, level: .info, label: "site-audit", message: message, metadata: metadata)
    }

    @Test("A line has time, level, label, message and sorted metadata")
    func tidyLine() {
        #expect(
            Self.line("Page fetched", ["url": "/a", "bytes": "12"])
                == "2026-03-01T12:00:00.250Z info site-audit: Page fetched bytes=12 url=/a\n")
    }

    @Test(
        "Values that would blur the line are quoted or escaped",
        arguments: [
            ("two words", #"v="two words""#), (#"say "hi""#, #"v="say \"hi\"""#), ("", #"v="""#), ("a=b", #"v="a=b""#),
            ("one\ntwo", #"v=one\ntwo"#), ("tab\there", #"v=tab\there"#), ("\u{1B}[2J", #"v=\u{1b}[2J"#), ("é", "v=é"),
            ("\u{9B}2J", #"v=\u{9b}2J"#), ("a\u{202E}b\u{2066}", #"v=a\u{202e}b\u{2066}"#), ("\u{85}", #"v=\u{85}"#),
        ])
    func quoting(value: String, expected: String) {
        #expect(Self.line("m", ["v": "\(value)"]) == "2026-03-01T12:00:00.250Z info site-audit: m \(expected)\n")
    }

    @Test("The handler merges its own, the provider's and the event's metadata, and filters by level")
    func handler() {
        let lines = Mutex<[String]>([])
        var logger = Logger(label: "worker") { label in
            var handler = FleetLogHandler(label: label, logLevel: .notice) { line in lines.withLock { $0.append(line) }
            }
            handler.metadataProvider = .init { ["trace": "t1", "pool": "provider"] }
            return handler
        }
        logger[metadataKey: "pool"] = "handler"
        logger[metadataKey: "index"] = "2"
        logger.info("not written")
        logger.warning("Slow", metadata: ["trace": "t2"])
        let written = lines.withLock { $0 }
        #expect(written.count == 1)
        #expect(written.first?.hasSuffix(" warning worker: Slow index=2 pool=provider trace=t2\n") == true)
    }

    @Test("--log-level takes every level of swift-log in any case", arguments: Logger.Level.allCases)
    func levels(level: Logger.Level) throws {
        let options = try LoggingOptions.parse(["--log-level", level.rawValue.uppercased()])
        #expect(try options.level() == level)
    }

    @Test("A word that is no level is refused with the allowed ones")
    func badLevel() {
        let error = #expect(throws: (any Error).self) { try LoggingOptions.parse(["--log-level", "loud"]) }
        let message = error.map { LoggingOptions.fullMessage(for: $0) } ?? ""
        #expect(message.contains("'loud' is invalid"))
        #expect(Logger.Level.allCases.allSatisfy { message.contains($0.rawValue) })
        #expect(error.map { LoggingOptions.exitCode(for: $0) } == .usage)
    }

    @Test("Setting up twice is harmless")
    func bootstrapTwice() throws {
        let options = try LoggingOptions.parse(["--log-level", "critical"])
        #expect(try options.bootstrap(label: "first").label == "first")
        #expect(try options.bootstrap(label: "second").label == "second")
    }
}
