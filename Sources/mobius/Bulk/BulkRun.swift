import Foundation
import MobiusClient
import MobiusJournal
import MobiusProcess
import MobiusWire

/// Sends the events of a file: reads lines, shows the progress.
struct BulkRun: Sendable {
    /// The kind of all events.
    let kind: PayloadKind
    /// The loop of lines that name none.
    let loop: LoopID
    let begins: Bool
    /// The keys' beginning; `nil` for keys that depend on the file's path and the line.
    let keyPrefix: String?
    let path: String
    /// The first line to send.
    let firstLine: UInt64
    let skipsInvalid: Bool
    let isBare: Bool
    /// The file's size, if it is known.
    let size: Int?

    /// The end of a run.
    struct Outcome: Sendable {
        let report: BulkSend.Report
        /// The first line that is no event, and why.
        var bad: (line: UInt64, reason: String)?
        /// The reason why the file could not be read to its end.
        var unread: String?
    }

    /// Reads and sends to the end, or to the first failure; blocks its thread.
    func run(_ reader: LineReader, _ client: FleetClient) -> Outcome {
        var reader = reader
        let notes = SkipNotes()
        let bulk = BulkSend(client, begins: begins, after: firstLine - 1, skipsRefused: skipsInvalid) { line, reason in
            notes.note(line, reason)
        }
        var progress = BulkProgress(size: size)
        defer { progress.end() }
        let seed = FNV1a.hash(Array(path.utf8))
        var line: UInt64 = 0
        do throws(LineReader.Failure) {
            while true {
                while reader.mustWait {
                    guard bulk.flush() else { return Outcome(report: bulk.finish()) }
                    progress.show(bulk.current, read: reader.count)
                    reader.wait(milliseconds: 200)
                }
                guard let next = try reader.next() else { break }
                line += 1
                guard line >= firstLine else { continue }
                switch item(next, line, seed) {
                case .success(nil): continue
                case .success(let item?):
                    guard bulk.send(item) else { return Outcome(report: bulk.finish()) }
                case .failure(let failure):
                    guard skipsInvalid else {
                        return Outcome(report: bulk.finish(), bad: (line, failure.reason))
                    }
                    bulk.skip(line, failure.reason)
                }
                if line & 0x3FF == 0 { progress.show(bulk.current, read: reader.count) }
            }
        } catch {
            return Outcome(report: bulk.finish(), unread: error.reason)
        }
        return Outcome(report: bulk.finish())
    }

    /// The event of a line; `nil` for an empty one.
    private func item(
        _ line: LineReader.Line, _ number: UInt64, _ seed: UInt64
    ) -> Result<BulkSend.Item?, BulkLine.Failure> {
        guard case .bytes(var bytes) = line else {
            return .failure(BulkLine.Failure("it is longer than --max-payload"))
        }
        if number == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        guard bytes.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { return .success(nil) }
        return Result { () throws(BulkLine.Failure) in
            let known = try BulkLine(bytes, isBare: isBare)
            let named: LoopID?? = known.loop.map { LoopID($0) }
            if case .some(nil) = named { throw BulkLine.Failure("its loop is no name of 1 to 128 bytes") }
            let key = known.key ?? key(of: number, bytes, seed)
            if let problem = EventKey.problem(with: key) { throw BulkLine.Failure(problem) }
            return BulkSend.Item(
                line: number, loop: (named ?? nil) ?? loop, key: key, event: Payload(kind: kind, bytes: known.event))
        }
    }

    private func key(of line: UInt64, _ bytes: [UInt8], _ seed: UInt64) -> String {
        if let keyPrefix { return "\(keyPrefix)-\(line)" }
        let hash = FNV1a.text(seed &* 0x9E37_79B9_7F4A_7C15 ^ FNV1a.hash(bytes))
        return "\(hash)-\(line)"
    }
}

/// Reports the first lines that were left out, on standard error.
private final class SkipNotes: Sendable {
    private static let most = 20
    nonisolated(unsafe) private var count = 0
    private let lock = NSLock()

    func note(_ line: UInt64, _ reason: String) {
        let number = lock.withLock {
            count += 1
            return count
        }
        guard number <= Self.most else { return }
        StandardError.write("Line \(line) left out: \(TerminalText.line(reason))\n")
        if number == Self.most { StandardError.write("Further lines that are left out are only counted.\n") }
    }
}
