package import MobiusJournal
package import MobiusWire

/// The rows of a journal in SQLite, read as the store reads them, without SQLite.
package enum Runs {
    /// How many records the bytes of a row are.
    ///
    /// - Throws: `JournalError` for any bytes that are no records.
    package static func count(_ bytes: UnsafeRawBufferPointer, of loop: LoopID) throws(JournalError) -> Int {
        var decoder = BatchDecoder(bytes, from: RecordPlace(sequence: 0, part: 0), loop: loop, kinds: KindInterner())
        var count = 0
        while try decoder.next() != nil { count += 1 }
        return count
    }
}

/// Stands for the table of a journal's payload kinds.
struct KindInterner {
    func kind(_ number: UInt64) throws(JournalError) -> PayloadKind {
        guard (1...3).contains(number) else { throw JournalError(.damaged, "no such kind") }
        return PayloadKind(type: "kind \(number)")
    }
}
