import Foundation
import Logging
import MobiusCodec
import MobiusDriver
import MobiusJournal
import MobiusJournalSQLite
import MobiusProgram
import MobiusWire

/// The start of a coordinator on a journal of 100,000 events.
enum RecoveryWork {
    static let rows = [
        FixedWork.Row(name: "recovery", unit: "event") {
            guard let path = ProcessInfo.processInfo.environment["FIXED_WORK_JOURNAL"] else {
                fatalError("FIXED_WORK_JOURNAL names the file that --journal wrote.")
            }
            let journal = try open(path)
            defer { journal.close() }
            var recovery: JournalRecovery<FastFetch>?
            try counted {
                recovery = try JournalRecovery(
                    journal, EffectWork.recovery(of: SingleProgram<FastFetch>(FastFetch.routes)), nil, limits: .standard
                )
            }
            precondition(recovery?.ready.first?.loop.model.answered == count, "All events were replayed.")
            return count
        }
    ]

    private static let count = 100_000

    private static func open(_ path: String) throws -> SQLiteJournal {
        try SQLiteJournal(path: path, application: "fixed-work", build: "fixed")
    }

    /// Writes the journal, without snapshots.
    static func write(to path: String) throws {
        let journal = try open(path)
        defer { journal.close() }
        let codings = ProgramCodecs<FastFetch>()
        func effect(_ number: Int) throws -> Payload { try codings.effects.encode(.numbered(number)) }
        let first = try (0..<EffectWork.window).map(effect)
        try journal.commit([
            .event(EventRecord(loop: .main, sequence: 0, source: .start, event: nil, effects: first, ends: nil))
        ])
        for batch in stride(from: 1, through: count, by: 1000) {
            try journal.commit(
                (batch..<batch + 1000).map { number in
                    // As a worker's last report: of the start's effects, then of those that came a window ago.
                    let isFirst = number <= EffectWork.window
                    let ended = EffectID(
                        loop: .main, sequence: isFirst ? 0 : UInt64(number - EffectWork.window),
                        index: isFirst ? UInt32(number - 1) : 0)
                    let attempt = AttemptID(effect: ended, attempt: Attempt(epoch: 1, number: 1))
                    let event = FetchEvent.fetched(
                        etag: "0123456789abcdef0123456789abcdef", status: 200, answer: number, next: "none")
                    return .event(
                        EventRecord(
                            loop: .main, sequence: UInt64(number), source: .report(attempt, number: 1),
                            event: try codings.events.encode(event), effects: [try effect(number)], ends: ended))
                })
        }
    }
}
