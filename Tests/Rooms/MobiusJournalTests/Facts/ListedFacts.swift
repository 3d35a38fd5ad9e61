import MobiusJournal
import MobiusWire

/// An index of facts that is a list, and counts what is read of it.
final class ListedFacts: FactIndex {
    private let byName: [FactEntry]
    private let byFact: [String: [FactEntry]]
    /// The number of entries that were read.
    private(set) var read = 0

    init(_ entries: [FactEntry]) {
        byName = entries.sorted { $0.loop.precedes($1.loop) }
        var byFact: [String: [FactEntry]] = [:]
        for entry in byName {
            for (fact, key) in entry.facts {
                byFact[fact, default: []].append(FactEntry(loop: entry.loop, key: key, facts: entry.facts))
            }
        }
        self.byFact = byFact.mapValues { $0.sorted { Self.place($0) < Self.place($1) } }
    }

    private static func place(_ entry: FactEntry) -> FactPlace { FactPlace(key: entry.key, loop: entry.loop) }

    func factCount(_ fact: String, in range: FactRange, atMost: Int) throws(JournalError) -> Int {
        min(atMost, within(range, of: fact).count)
    }

    func factEntries(
        _ fact: String, in range: FactRange, after: FactPlace?, descending: Bool, limit: Int
    ) throws(JournalError) -> [FactEntry] {
        let list = within(range, of: fact)
        guard descending else {
            let first = after.map { after in list.firstIndex(from: { after < Self.place($0) }) } ?? list.startIndex
            return counted(list[first...].prefix(limit))
        }
        let end = after.map { after in list.firstIndex(from: { !(Self.place($0) < after) }) } ?? list.endIndex
        return counted(list[..<end].reversed().prefix(limit))
    }

    func factEntries(prefix: String, after: LoopID?, limit: Int) throws(JournalError) -> [FactEntry] {
        let first = after.map { after in byName[...].firstIndex(from: { after.precedes($0.loop) }) } ?? 0
        return counted(byName[first...].lazy.filter { $0.loop.name.utf8.starts(with: prefix.utf8) }.prefix(limit))
    }

    private func within(_ range: FactRange, of fact: String) -> ArraySlice<FactEntry> {
        guard let list = byFact[fact]?[...], !range.isEmpty else { return [] }
        let first = list.firstIndex(from: { !$0.key.lexicographicallyPrecedes(range.lower) })
        let end = range.upper.map { upper in list.firstIndex(from: { !$0.key.lexicographicallyPrecedes(upper) }) }
        return list[first..<(end ?? list.endIndex)]
    }

    private func counted(_ entries: some Sequence<FactEntry>) -> [FactEntry] {
        let entries = Array(entries)
        read += entries.count
        return entries
    }
}

extension ArraySlice {
    /// The place from which on all elements are such; those before are not.
    fileprivate func firstIndex(from isSuch: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isSuch(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
