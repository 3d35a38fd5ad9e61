package import MobiusJournal
import MobiusWire

/// Reads records batch by batch, and verifies the checksum of each batch and the place of each record.
package struct RecordReader {
    let loop: LoopID
    let number: Int64
    let shard: Int64
    let kinds: NumberedKinds
    let session: any JournalDatabase

    /// Visits the records after a place, or from the loop's first one on, up to the one at `end`, which must exist.
    package func replay(
        after begin: RecordPlace?, of loop: NumberedLoop, upTo end: RecordPlace?,
        _ visit: (JournalRecord) throws -> Void
    ) throws {
        var last = begin
        guard let end, begin.map({ $0 <= end }) ?? true else {
            guard last == end else { throw missing }
            return
        }
        try session.visitBatches(around: begin, loop: number, shard: shard, isReplay: true) { stored in
            let batch = try self.batch(stored)
            guard batch.last >= begin ?? batch.last else { return true }
            var decoder = decoder(of: batch, stored)
            while let (place, record) = try decoder.next() {
                if let begin, place <= begin { continue }
                if place > end { return false }
                guard last.map(place.follows) ?? (place == loop.first) else { throw gap(before: place) }
                last = place
                try visit(record)
            }
            return true
        }
        guard last == end else { throw missing }
    }

    /// Visits the records between two places, of which neither need exist, until `visit` returns `false`.
    package func read(
        from begin: RecordPlace, upTo end: RecordPlace,
        _ visit: (_ record: JournalRecord, _ place: RecordPlace, _ epoch: Int64) throws -> Bool
    ) throws {
        guard begin <= end else { return }
        var last: RecordPlace?
        try session.visitBatches(around: begin, loop: number, shard: shard, isReplay: false) { stored in
            let batch = try self.batch(stored)
            guard batch.last >= begin else { return true }
            var decoder = decoder(of: batch, stored)
            while let (place, record) = try decoder.next() {
                if place < begin { continue }
                if place > end { return false }
                guard last.map(place.follows) ?? true else { throw gap(before: place) }
                last = place
                guard try visit(record, place, batch.epoch) else { return false }
            }
            return true
        }
    }

    /// The batch in a row; its checksum is verified.
    func batch(_ stored: StoredBatch) throws(JournalError) -> RecordBatch {
        guard let batch = stored.batch, batch.checksum(stored.content) == stored.checksum else {
            throw damaged("the records of loop \(loop) near event \(stored.sequence) are not what was written")
        }
        return batch
    }

    /// Decodes the records of a row.
    func decoder(of batch: RecordBatch, _ stored: StoredBatch) -> BatchDecoder {
        BatchDecoder(stored.content, from: batch.first, loop: loop, kinds: kinds)
    }

    private var missing: JournalError { damaged("the last records of loop \(loop) are missing") }

    private func gap(before place: RecordPlace) -> JournalError {
        damaged("a record is missing before event \(place.sequence) of loop \(loop)")
    }

    private func damaged(_ how: String) -> JournalError { .damaged(session.shown, how) }
}
