package import MobiusCodec
package import MobiusWire

/// Reads loops of a fleet, with their histories and the model after each event, for a file.
package struct LoopExport: Sendable {
    private let client: FleetClient
    private let first: UInt64?
    private let last: UInt64?
    private let text: @Sendable (Payload) -> JSONFragment?

    /// Prepares an export.
    ///
    /// - Parameters:
    ///   - first: The first event of each loop; `nil` for the first that is kept.
    ///   - last: The last event; `nil` for the newest.
    ///   - text: The JSON that stands for a payload; `nil` for its bytes.
    package init(
        _ client: FleetClient, from first: UInt64? = nil, to last: UInt64? = nil,
        shownAs text: @escaping @Sendable (Payload) -> JSONFragment?
    ) {
        (self.client, self.first, self.last, self.text) = (client, first, last, text)
    }

    /// Calls `write` with each line of an export.
    ///
    /// A loop is read up to the event that is its newest when the reading of it begins, so that one that never rests has an end, too.
    ///
    /// - Parameters:
    ///   - loops: The loops, by name; those that appear several times are read once.
    ///   - time: The time now.
    ///   - isMasked: Whether the client asks for what people may see.
    /// - Returns: the last line.
    /// - Throws: ``FleetClientError``, with `notFound` without one of the loops; what `write` throws.
    package func run(
        _ loops: [LoopID], at time: WallTime, isMasked: Bool, _ write: (ExportLine) throws -> Void
    ) async throws -> ExportLine.End {
        let status = try await client.status()
        try write(.head(ExportLine.Head(time: time, journal: status.journal, isMasked: isMasked)))
        // A schema is a convenience of the pages: a program whose types have none has loops nevertheless.
        do {
            if let schema = JSONFragment(Array(try await client.schema().utf8)) { try write(.schema(schema)) }
        } catch let error as FleetClientError where error.code == .refused {}
        try write(.status(status))
        var end = ExportLine.End()
        for loop in Set(loops).sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            end.events += try await export(loop, write)
            end.loops += 1
        }
        try write(.end(end))
        return end
    }

    private func export(_ loop: LoopID, _ write: (ExportLine) throws -> Void) async throws -> Int {
        let summary = try await summary(of: loop)
        try write(.loop(summary))
        try write(.waits(try await client.waits(of: loop)))
        if summary.state != .ended {
            var page: FleetPage<EffectSummary>
            var after: EffectID?
            repeat {
                page = try await client.effects(loop: loop, after: after)
                for effect in page.elements { try write(.effect(effect)) }
                after = page.elements.last?.id
            } while page.more && after != nil
        }
        var letters: FleetPage<DeadLetterSummary>
        var after: EffectID?
        repeat {
            letters = try await client.deadLetters(loop: loop, after: after)
            for letter in letters.elements { try write(.letter(letter)) }
            after = letters.elements.last?.id
        } while letters.more && after != nil
        return try await exportHistory(of: summary, write)
    }

    private func exportHistory(of summary: LoopSummary, _ write: (ExportLine) throws -> Void) async throws -> Int {
        var (events, place): (Int, HistoryPlace?) = (0, nil)
        let last = min(last ?? .max, summary.sequence)
        while true {
            let page = try await client.history(of: summary.loop, from: first, to: last, after: place, models: true)
            for entry in page.entries {
                if entry.place.part == 0 { events += 1 }
                try write(.entry(entry.shown(as: text)))
            }
            guard page.more, let behind = page.entries.last?.place else { return events }
            place = behind
        }
    }

    /// The loop as lists show it, with its facts if its program declares some.
    private func summary(of loop: LoopID) async throws -> LoopSummary {
        do {
            let found = try await client.find(prefix: loop.name, limit: 1).loops.first
            if let found, found.loop == loop { return found }
        } catch let error as FleetClientError where error.code == .refused {
            // Its program declares no facts.
        }
        guard let listed = try await client.loops(prefix: loop.name, limit: 1).loops.first, listed.loop == loop else {
            throw FleetClientError(.notFound, "There is no loop \(loop).")
        }
        return listed
    }
}
