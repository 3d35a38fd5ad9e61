package import MobiusJournal
package import MobiusWire

/// The rows of a journal in SQLite, read as the store reads them, without SQLite.
package enum Runs {
    /// How many records the bytes of a row are.
    ///
    /// - Throws: `JournalError` for any bytes that are no records.
    package static func count(_ bytes: UnsafeRawBufferPointer, of loop: LoopID) throws(JournalError) -> Int {
        var kinds = NumberedKinds(path: "fuzzed")
        for number in 1...3 { kinds.add(PayloadKind(type: "kind \(number)")) }
        var decoder = BatchDecoder(bytes, from: RecordPlace(sequence: 0, part: 0), loop: loop, kinds: kinds)
        var count = 0
        while try decoder.next() != nil { count += 1 }
        return count
    }
}
