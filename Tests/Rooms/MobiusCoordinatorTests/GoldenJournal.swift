import Foundation
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import Testing

/// A journal made of a text that stands for what an earlier build wrote: see the files in `Golden`.
enum GoldenJournal {

    /// Writes the journal of a golden file.
    static func write(
        _ name: String, to path: String, loop: LoopID = .main, application: String = "shop", build: String = "1"
    ) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let text = try String(contentsOf: folder.appendingPathComponent("Golden/\(name).txt"), encoding: .utf8)
        try write(
            lines: text.split(separator: "\n").map(String.init), to: path, loop: loop, application: application,
            build: build)
    }

    /// Writes a journal of such lines.
    static func write(
        lines: [String], to path: String, loop: LoopID = .main, application: String = "shop", build: String = "1"
    ) throws {
        let store = try SQLiteJournal(path: path, application: application, build: build)
        defer { store.close() }
        var sequence: UInt64 = 0
        var event: EventRecord?
        var pending: [PendingEffect] = []
        func commit() throws {
            guard let record = event else { return }
            try store.commit([.event(record)])
            for (index, effect) in record.effects.enumerated() {
                let id = EffectID(loop: loop, sequence: record.sequence, index: UInt32(index))
                pending.append(PendingEffect(id: id, effect: effect))
            }
            sequence += 1
            event = nil
        }
        for line in lines where !line.hasPrefix("#") {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            let payload = words.count < 4 ? nil : payload(words)
            switch words[0] {
            case "effect": event?.effects.append(try #require(payload))
            case "snapshot":
                try commit()
                try store.save(
                    Snapshot(
                        loop: loop, sequence: sequence - 1, model: payload!, hash: FNV1a.hash(payload!.bytes),
                        pending: pending))
            default:
                try commit()
                event = EventRecord(
                    loop: loop, sequence: sequence, source: sequence == 0 ? .start : .outside("key \(sequence)"),
                    event: payload, effects: [], ends: nil)
            }
        }
        try commit()
    }

    private static func payload(_ words: [String]) -> Payload {
        Payload(kind: PayloadKind(type: words[1], version: UInt16(words[2])!), bytes: Array(words[3].utf8))
    }
}
