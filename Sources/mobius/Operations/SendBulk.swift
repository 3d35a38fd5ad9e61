import ArgumentParser
import Foundation
import MobiusClient
import MobiusLauncher
import MobiusProcess
import MobiusWire

// Many events: `mobius send --file FILE`, and standard input with several lines.
extension Send {
    /// The content of standard input.
    enum Input {
        /// One event, perhaps in several lines.
        case single([UInt8])
        case lines(LineReader)
    }

    /// Finds out whether standard input has one event or one per line.
    ///
    /// It has one per line if its first line is a whole JSON value and another line follows, or if the first names the loop or
    /// the key of its event.
    static func input(limit: Int) throws -> Input {
        // Room for an envelope around an event of the largest size.
        var reader = LineReader(STDIN_FILENO, limit: limit + 1024)
        var isTooLong = false
        do throws(LineReader.Failure) {
            var blank: [UInt8] = []
            while let line = try reader.next() {
                guard case .bytes(let bytes) = line else {
                    isTooLong = true
                    break
                }
                guard bytes.contains(where: { $0 > 0x20 }) else {
                    blank += bytes + [0x0A]
                    continue
                }
                guard blank.isEmpty, let first = try? BulkLine(bytes) else {
                    return .single(blank + bytes + [0x0A] + (try reader.rest()))
                }
                let second = first.isEnvelope ? nil : try reader.next()
                if let second { reader.putBack(second) }
                guard first.isEnvelope || Self.isText(second) else { return .single(bytes + (try reader.rest())) }
                reader.putBack(line)
                return .lines(reader)
            }
            if !isTooLong { return .single(blank + (try reader.rest())) }
        } catch {
            throw FleetExit(.noInput, "Standard input cannot be read: \(error.reason).")
        }
        throw FleetExit(
            .usage, "The event has more than \(limit) bytes: raise --max-payload, and \(PayloadLimit.advice).")
    }

    private static func isText(_ line: LineReader.Line?) -> Bool {
        switch line {
        case nil: false
        case .tooLong: true
        case .bytes(let bytes): bytes.contains { $0 > 0x20 }
        }
    }

    /// Sends the events of a file, or of standard input.
    func sendLines(_ reader: LineReader?, from path: String, limit: Int) async throws {
        guard key == nil else {
            throw FleetExit(.usage, "--key names one event: for several lines use --key-prefix.")
        }
        guard !strict else {
            throw FleetExit(.usage, "--strict checks one event: several lines are sent without it.")
        }
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw FleetExit(.noInput, "The file \(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        // An envelope may be around the event.
        let reader = reader ?? LineReader(descriptor, limit: limit + 1024)
        let drawn = path == "-" && bulk.keyPrefix == nil ? UUID().uuidString : nil
        let run = BulkRun(
            kind: PayloadKind(type: type ?? "", version: typeVersion ?? 0), loop: loop, begins: begins,
            keyPrefix: bulk.keyPrefix ?? drawn, path: URL(fileURLWithPath: path).standardizedFileURL.path,
            firstLine: bulk.fromLine ?? 1, skipsInvalid: bulk.skipInvalid, isBare: bulk.bare,
            size: isFile ? Int(status.st_size) : nil)
        try await options.withClient(maximumPayload: limit, window: BulkSend.window) { client, target in
            let result = await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: run.run(reader, client)) }
            }
            try report(result, run, drawn, at: target)
        }
    }

    private func report(
        _ result: BulkRun.Outcome, _ run: BulkRun, _ drawn: String?, at target: FleetFinder.Target
    ) throws {
        let end = BulkEnd(result, run, drawn: drawn)
        if outcome.json {
            print(end.jsonLine(target).text)
        } else if end.error == nil {
            print("\(end.counts), at \(target.label)")
        }
        if !outcome.json { (end.refusals + end.otherLines).forEach { StandardError.write($0 + "\n") } }
        if let (code, sentence) = end.error {
            throw FleetExit(code, "\(TerminalText.line(sentence)) \(end.advice)")
        }
        if result.report.refused > 0 { throw ExitCode.refusedByProgram }
    }
}

/// The end of a bulk send, in words.
private struct BulkEnd {
    private let report: BulkSend.Report
    private let run: BulkRun
    private let drawn: String?
    /// The line that failed, its exit code, and the reason.
    private let failure: (line: UInt64?, code: ExitCode, reason: String)?
    /// The words for what is known of the lines behind it.
    private var behind = "of those behind it that is not known"

    init(_ result: BulkRun.Outcome, _ run: BulkRun, drawn: String?) {
        (report, self.run, self.drawn) = (result.report, run, drawn)
        if let (line, error) = report.failure {
            let isRefusal = [.refused, .conflict, .notFound].contains(error.code)
            if isRefusal { behind = "some of those behind it may be, too" }
            failure = (isRefusal ? line : nil, error.exitCode, Self.words(error))
        } else if let (line, reason) = result.bad {
            behind = "none behind it"
            failure = (line, .negativeAnswer, reason)
        } else {
            failure = result.unread.map { (nil, .noInput, "The file could not be read to its end: \($0).") }
        }
    }

    private static func words(_ error: FleetClientError) -> String {
        error.code == .notFound ? "\(error.message) Correct its loop, or begin loops with --new." : error.message
    }

    /// A line for each further line that the coordinator refused.
    var otherLines: [String] {
        report.refusedLines.filter { $0.line != failure?.line }.map {
            "Line \($0.line): \(TerminalText.line(Self.words($0.error)))"
        }
    }

    var counts: String {
        var words = ["\(report.applied) applied"]
        if report.repeated > 0 { words.append("\(report.repeated) already applied") }
        if report.dropped > 0 { words.append("\(report.dropped) dropped by an operator") }
        if report.refused > 0 { words.append("\(report.refused) refused by the program") }
        if report.skipped > 0 { words.append("\(report.skipped) left out") }
        return words.joined(separator: ", ")
    }

    /// A line for each of the first refusals by the program, and one for the others.
    var refusals: [String] {
        let lines = report.refusals.map { "Line \($0.line): refused by the program: \(TerminalText.line($0.reason))" }
        let more = report.refused - lines.count
        return more > 0 ? lines + ["… and \(more) more refused by the program"] : lines
    }

    var error: (ExitCode, String)? {
        failure.map { failure in
            let reason = failure.reason.hasSuffix(".") ? failure.reason : failure.reason + "."
            return (failure.code, failure.line.map { "Line \($0): \(reason)" } ?? reason)
        }
    }

    /// Up to where all is done, and how to continue.
    var advice: String {
        let next = report.lastLine + 1
        let first = run.firstLine
        let done =
            report.lastLine < first
            ? "No line is applied"
            : "All lines up to \(report.lastLine) are applied\(report.refused > 0 ? " or refused by the program" : "")\(run.skipsInvalid ? " or left out" : "")"
        let keys = drawn.map { " --key-prefix \($0)" } ?? ""
        let way =
            failure?.line != nil
            ? "Correct it and run the command again, with\(keys) --from-line \(next): nothing is applied twice. Or leave such lines out with --skip-invalid."
            : "Run the command again, with\(keys) --from-line \(next): nothing is applied twice."
        return "\(done); \(behind) (\(counts)). \(way)"
    }

    func jsonLine(_ target: FleetFinder.Target) -> JSONLine {
        var line = JSONLine()
        line.set("outcome", failure == nil ? "applied" : "failed")
        line.set("applied", report.applied)
        line.set("alreadyApplied", report.repeated)
        line.set("dropped", report.dropped)
        line.set("refused", report.refused)
        if report.refused > 0 {
            line.set(
                "refusals",
                report.refusals.map { refusal in
                    var line = JSONLine()
                    line.set("line", refusal.line)
                    line.set("reason", refusal.reason)
                    return line
                })
        }
        if report.refusedLines.count > 1 {
            line.set(
                "refusedLines",
                report.refusedLines.map { refused in
                    var line = JSONLine()
                    line.set("line", refused.line)
                    line.set("reason", refused.error.message)
                    return line
                })
        }
        line.set("skipped", report.skipped)
        line.set("lastLine", report.lastLine)
        line.set("keyPrefix", run.keyPrefix)
        line.set("failedLine", failure?.line)
        line.set("reason", failure?.reason)
        line.set("target", target.label)
        return line
    }
}
