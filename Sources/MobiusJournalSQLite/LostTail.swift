import GRDB
import MobiusJournal
import MobiusWire

/// Compares a journal with the mark of what was committed last.
enum LostTail {
    /// What is missing, as a sentence's end; `nil` when all of it is there, or the mark is another journal's.
    static func words(
        _ mark: TailMark, identity: JournalID, _ database: Database, path: String, shown: String
    ) throws -> String? {
        guard mark.journal == identity else { return nil }
        if mark.loop > 0, let words = try records(mark, database, shown: shown) { return words }
        // Written by an opening that failed, before its epoch was there.
        guard mark.epoch > 0 else { return nil }
        let epochs = try Epochs.all(database, path: shown)
        guard let epoch = epochs.first(where: { $0.number == mark.epoch }) else {
            return "epoch \(mark.epoch) had begun, and the last that is there is epoch \(epochs.last?.number ?? 0)"
        }
        if epoch.writes < mark.writes {
            return "a snapshot or a note on a crash, written in epoch \(mark.epoch), is missing"
        }
        // Pages that are there may still be older than others, where the log was copied into the file in part.
        guard let whole = LogScan.frames(of: path + "-wal", salts: mark.salts, upTo: mark.frames),
            whole < mark.frames
        else { return nil }
        return "of \(mark.frames) pages in \(shown)-wal only \(whole) are what was written"
    }

    /// The error for an opening.
    static func error(_ words: String, shown: String) -> JournalError {
        JournalError(
            .damaged,
            "The journal \(shown) has lost what was committed last: \(words). Put \(shown)-wal back if it was moved away; "
                + "otherwise restore a backup, or accept the loss with `mobius journal restore \(shown) NEW` and start on "
                + "NEW, a journal of what is left.")
    }

    private static func records(_ mark: TailMark, _ database: Database, shown: String) throws -> String? {
        let loops = try NumberedLoops(path: shown).all(database)
        let others = loops.count > 1 ? ", and perhaps the newest of other loops" : ""
        guard let loop = loops.first(where: { $0.number == mark.loop })?.loop else {
            return "a loop that had begun, with its events up to \(mark.place.sequence), is missing\(others)"
        }
        let last = try RunTable(path: shown, loop: mark.loop).last(database)?.last
        if let last, last >= mark.place { return nil }
        let first = last.map { $0.sequence + 1 } ?? 0
        guard first <= mark.place.sequence else {
            return "what became of effects of loop \(loop) after event \(mark.place.sequence) is missing\(others)"
        }
        let events =
            first == mark.place.sequence
            ? "event \(first) of loop \(loop) is" : "events \(first) to \(mark.place.sequence) of loop \(loop) are"
        return "\(events) missing\(others)"
    }
}
