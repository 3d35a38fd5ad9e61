import MobiusJournal
import MobiusJournalTables
import MobiusWire

/// Compares a journal with its mark of the last commit.
enum LostTail {
    /// Returns the missing part, as the end of a sentence; `nil` if there is none, or if the mark belongs to another
    /// journal.
    static func description(
        of mark: TailMark, identity: JournalID, _ database: Database, path: String, shown: String
    ) throws -> String? {
        guard mark.journal == identity else { return nil }
        if mark.loop > 0, let words = try records(mark, database, shown: shown) { return words }
        // Such a mark was written by an opening that failed before its epoch began.
        guard mark.epoch > 0 else { return nil }
        let epochs = try Epochs.all(database)
        guard let epoch = epochs.first(where: { $0.number == mark.epoch }) else {
            return "epoch \(mark.epoch) had begun, but the last epoch in the file is \(epochs.last?.number ?? 0)"
        }
        if epoch.writes < mark.writes {
            return "a snapshot or a note on a crash, written in epoch \(mark.epoch), is missing"
        }
        // All records are readable, but pages may still be older than others if the log was copied into the file in
        // part.
        guard let whole = LogScan.frames(of: path + "-wal", salts: mark.salts, upTo: mark.frames),
            whole < mark.frames
        else { return nil }
        return "of \(mark.frames) pages in \(shown)-wal only \(whole) are what was written"
    }

    /// The error for opening such a journal.
    static func error(_ words: String, shown: String) -> JournalError {
        JournalError(
            .damaged,
            "The journal \(shown) has lost what was committed last: \(words). Put \(shown)-wal back if it was moved "
                + "away; otherwise restore a backup, or accept the loss with `mobius journal restore \(shown) NEW` and "
                + "start on NEW, a journal of what is left.")
    }

    private static func records(_ mark: TailMark, _ database: Database, shown: String) throws -> String? {
        let hasOthers = try database.number("SELECT ifnull(max(id), 0) FROM loops") > 1
        let others = hasOthers ? ", and perhaps the newest of other loops" : ""
        guard let loop = try database.name(ofLoop: mark.loop) else {
            return "a loop that had begun, with its events up to \(mark.place.sequence), is missing\(others)"
        }
        let last = try BatchTable(loop: mark.loop).last(database)?.last
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
