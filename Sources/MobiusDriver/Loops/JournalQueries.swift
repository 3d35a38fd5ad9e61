package import MobiusEngine
package import MobiusJournal
package import MobiusWire

/// Reads a journal beside its writer: no commit waits for what clients ask, and no answer for a commit.
package protocol JournalQueries: Sendable {
    /// Calls `body`, perhaps later and on another thread, with what is committed, for reading only until it returns; again, when it
    /// throws and a new connection may do better.
    ///
    /// All that was committed before this call is there, and nothing that is not committed. Bodies are called in their order.
    ///
    /// - Parameter failed: Called when the journal cannot be opened, or after the last call of `body` that threw.
    func read(
        _ body: @escaping @Sendable (any JournalReading) throws(JournalError) -> Void,
        failed: @escaping @Sendable (JournalError) -> Void)
    /// Answers nothing more, and closes what was opened: a file before it returns, so that its writer can close it whole.
    func close()
}

/// Reads a journal in memory at once, on the calling thread.
package struct MemoryJournalQueries: JournalQueries {
    private let store: any JournalStore

    package init(_ store: any JournalStore) {
        self.store = store
    }

    package func read(
        _ body: @escaping @Sendable (any JournalReading) throws(JournalError) -> Void,
        failed: @escaping @Sendable (JournalError) -> Void
    ) {
        do throws(JournalError) { try body(store) } catch { failed(error) }
    }

    package func close() {}
}

// What clients ask of the journal: lists of loops and dead letters, histories.
extension DurableHost {
    /// Reads the journal for a request, and posts what `body` finds.
    func read(
        for request: RequestID, _ body: @escaping @Sendable (any JournalReading) throws(JournalError) -> Input
    ) {
        let post = setting.post
        setting.queries.read { journal throws(JournalError) in
            post(try body(journal))
        } failed: {
            post(.readFailed(request, $0))
        }
    }

    package func stored(_ query: LoopListing, _ request: RequestID) {
        read(for: request) { journal throws(JournalError) in
            .stored(request, query, try journal.loopPage(prefix: query.prefix, after: query.after, limit: query.limit))
        }
    }

    package func letters(
        of loop: LoopID?, prefix: String, after: EffectID?, limit: Int, _ request: RequestID
    ) {
        read(for: request) { journal throws(JournalError) in
            var found: [DeadLetterHead] = []
            // One more than is returned, to find out whether the list continues; each call reads less when effects are large.
            while found.count <= limit {
                let after = found.last?.letter.id ?? after
                let heads = try journal.deadLetterHeads(
                    of: loop, prefix: prefix, after: after, limit: limit + 1 - found.count)
                guard !heads.isEmpty else { break }
                found += heads
            }
            return .letters(request, found, limit: limit)
        }
    }

    /// Answers with a list of dead letters, of which one more than the limit was read if there are more.
    func listed(_ heads: [DeadLetterHead], limit: Int, _ request: RequestID) {
        let page = heads.prefix(limit).map { summary(of: $0.letter, size: $0.size) }
        give(.letters(page, more: heads.count > limit), to: request)
    }

    package func letter(_ id: EffectID, _ request: RequestID) {
        read(for: request) { journal throws(JournalError) in .found(request, .show, try journal.deadLetter(id)) }
    }

    /// The most entries of a history's page, and the payload bytes after which it ends.
    private static var historyPage: (entries: Int, bytes: Int) { (256, 256 << 10) }
    /// The most payload bytes of one of its entries.
    private static var entryBytes: Int { 128 << 10 }

    package func history(_ query: HistoryRequest, _ request: RequestID) {
        let isKnown = hosted(query.loop) != nil || held[query.loop] != nil || end(query.loop) != nil
        // The journal knows whether a loop exists that is not in memory.
        guard isKnown || awayCount > 0 else { return give(.notFound, to: request) }
        let range = JournalRange(query, Self.historyPage.entries, Self.historyPage.bytes)
        let read = { @Sendable (journal: any JournalReading) throws(JournalError) -> HistoryPage? in
            let page = try journal.entries(of: query.loop, range)
            guard isKnown || page.first != nil else { return nil }
            let entries = page.entries.map {
                // A page could not hold large payloads.
                HistoryEntry(
                    $0, of: query.loop, maximumEffects: HistoryEntry.maximumEffects, payloadBytes: Self.entryBytes)
            }
            return HistoryPage(entries, first: page.first, more: page.more)
        }
        if query.models { return readModels(of: query.loop, request, page: read) }
        self.read(for: request) { journal throws(JournalError) in
            .answer(request, try read(journal).map { .history($0) } ?? .notFound)
        }
    }
}

/// A client's request for a list of loops.
package struct LoopListing: Sendable {
    package let prefix: String
    package let state: LoopSummary.State?
    package let after: LoopID?
    package let limit: Int
}

extension JournalRange {
    fileprivate init(_ query: HistoryRequest, _ most: Int, _ bytes: Int) {
        let first = HistoryPlace(sequence: query.first ?? 0)
        let begin = max(first, query.after.map(\.next) ?? first)
        let limit = query.limit == 0 ? most : min(most, Int(query.limit))
        self.init(from: begin.sequence, part: begin.part, to: query.last ?? .max, limit: limit, bytes: bytes)
    }
}

extension HistoryPlace {
    /// The first place behind this one; a place that does not exist, and the last of all, are left as they are.
    fileprivate var next: HistoryPlace {
        if part < .max { return HistoryPlace(sequence: sequence, part: part + 1) }
        return sequence < .max ? HistoryPlace(sequence: sequence + 1) : self
    }
}

extension JournalReading {
    /// Dead letters like ``deadLetterHeads(of:after:limit:)``, of loops whose names begin so.
    ///
    /// They follow each other in the order of names, so those of other loops before them are not read.
    fileprivate func deadLetterHeads(
        of loop: LoopID?, prefix: String, after: EffectID?, limit: Int
    ) throws(JournalError) -> [DeadLetterHead] {
        if let loop {
            guard loop.name.utf8.starts(with: prefix.utf8) else { return [] }
            return try deadLetterHeads(of: loop, after: after, limit: limit)
        }
        guard !prefix.isEmpty else { return try deadLetterHeads(of: nil, after: after, limit: limit) }
        // The first name that begins so; a longer prefix than any name has no loops.
        guard let first = LoopID(prefix) else { return [] }
        var start = EffectID(loop: first, sequence: UInt64(Int64.max), index: .max)
        if let after, first.precedes(after.loop) {
            start = after
        } else {
            let own = try deadLetterHeads(of: first, after: after?.loop == first ? after : nil, limit: limit)
            guard own.isEmpty else { return own }
        }
        return Array(
            try deadLetterHeads(of: nil, after: start, limit: limit)
                .prefix { $0.letter.id.loop.name.utf8.starts(with: prefix.utf8) })
    }
}
