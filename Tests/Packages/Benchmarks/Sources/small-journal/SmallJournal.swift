import Foundation
import MobiusCore
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import SmallEvents

/// Writes a journal of small events, or reads one as recovery does, without replaying it.
///
/// `small-journal write FILE EVENTS`; `small-journal read FILE`, which prints records per second.
@main
enum SmallJournal {
    /// Under which name `small-coordinator` keeps its journal.
    private static let application = "small-coordinator"

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let mode = arguments.first, let path = arguments.dropFirst().first else { usage() }
        let journal = try SQLiteJournal(path: path, application: application, build: "benchmark")
        defer { journal.close() }
        switch (mode, arguments.dropFirst(2).first.flatMap { Int($0) }) {
        case ("write", let events?): try write(events, to: journal)
        case ("read", nil): try read(journal)
        default: usage()
        }
    }

    private static func usage() -> Never {
        fatalError("usage: small-journal write FILE EVENTS | read FILE")
    }

    private static func write(_ count: Int, to journal: SQLiteJournal) throws {
        let encoder = JSONEncoder()
        let (events, effects) = (kind(of: Ledger.Event.self), kind(of: Ledger.Effect.self))
        func payload(_ effect: Ledger.Effect) throws -> Payload {
            Payload(kind: effects, bytes: Array(try encoder.encode(effect)))
        }
        let first = try Ledger.initiate().effects.map(payload)
        var records = [
            JournalRecord.event(
                EventRecord(loop: .main, sequence: 0, source: .start, event: nil, effects: first, ends: nil))
        ]
        for number in 1...max(1, count) {
            // As a worker's last report: of the start's effects, then of those that came a window ago.
            let isFirst = number <= Ledger.outstanding
            let ended = EffectID(
                loop: .main, sequence: isFirst ? 0 : UInt64(number - Ledger.outstanding),
                index: isFirst ? UInt32(number - 1) : 0)
            let attempt = AttemptID(effect: ended, attempt: Attempt(epoch: 1, number: 1))
            let event = Payload(kind: events, bytes: Array(try encoder.encode(Ledger.event(number))))
            records.append(
                .event(
                    EventRecord(
                        loop: .main, sequence: UInt64(number), source: .report(attempt, number: 1), event: event,
                        effects: [try payload(.settle(account: number % Ledger.outstanding))], ends: ended)))
            guard records.count >= 10_000 || number == count else { continue }
            try journal.commit(records)
            records.removeAll(keepingCapacity: true)
        }
    }

    /// What a type is called in a journal.
    private static func kind(of type: Any.Type) -> PayloadKind { PayloadKind(type: String(reflecting: type)) }

    private static func read(_ journal: SQLiteJournal) throws {
        var records = 0
        let time = try ContinuousClock().measure { try journal.readTail(of: .main) { _ in records += 1 } }
        print(Double(records) / (time / .seconds(1)))
    }
}
