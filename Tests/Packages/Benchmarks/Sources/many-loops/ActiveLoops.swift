import Foundation
import MobiusJournal
import MobiusJournalPostgreSQL
import MobiusWire

/// A journal in PostgreSQL whose loops all have work, so that a start must recover them: each has two snapshots, ten events
/// between them and ten after the newer one, each with a key and in a commit of its own.
struct ActiveLoops {
    let url: String

    private static let events: UInt64 = 10

    func write(_ count: Int) throws {
        let journal = try open()
        defer { journal.close() }
        try journal.commit([start(of: .main)])
        for first in stride(from: 0, to: count, by: 1000) {
            let loops = (first..<min(count, first + 1000)).map(ManyLoops.name)
            try journal.commit(loops.map(start))
            for stretch in 0..<UInt64(3) {
                for number in 1...Self.events {
                    let sequence = stretch * Self.events + number
                    try journal.commit(try loops.map { try event(sequence, of: $0) })
                }
                guard stretch < 2 else { break }
                let sequence = (stretch + 1) * Self.events
                try journal.park([], try loops.map { try snapshot(at: sequence, of: $0) })
            }
        }
    }

    /// Reads what a start reads, and returns the seconds that it took.
    func read(inBlocks: Bool) throws -> Double {
        let time = try ContinuousClock().measure {
            let journal = try open()
            defer { journal.close() }
            let loops = try journal.activeLoops()
            if inBlocks { journal.prefetch(loops) }
            for loop in loops {
                _ = try journal.newestSnapshot(of: loop)
                _ = try journal.olderSnapshot(of: loop)
                try journal.readBetweenSnapshots(of: loop) { _ in }
                try journal.readTail(of: loop) { _ in }
                _ = try journal.outsideKeys(of: loop, limit: 100_000)
                _ = try journal.beginning(of: loop)
            }
        }
        return time / .seconds(1)
    }

    private func open() throws -> PostgreSQLJournal {
        try PostgreSQLJournal(url: url, application: ManyLoops.application, build: "benchmark")
    }

    private func start(of loop: LoopID) -> JournalRecord {
        .event(EventRecord(loop: loop, sequence: 0, source: .start, event: nil, effects: [], ends: nil))
    }

    private func event(_ sequence: UInt64, of loop: LoopID) throws -> JournalRecord {
        .event(
            EventRecord(
                loop: loop, sequence: sequence, source: .outside("event \(sequence)"),
                event: try payload(Parcels.Event.moved(Int(sequence))), effects: [], ends: nil))
    }

    private func snapshot(at sequence: UInt64, of loop: LoopID) throws -> Snapshot {
        let model = try payload(Parcels.Model(moves: Int(sequence)))
        let hash = model.bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }  // FNV-1a
        return Snapshot(loop: loop, sequence: sequence, model: model, hash: hash, pending: [])
    }

    private func payload<Value: Encodable>(_ value: Value) throws -> Payload {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Payload(
            kind: PayloadKind(type: String(reflecting: Value.self)), bytes: Array(try encoder.encode(value)))
    }
}
