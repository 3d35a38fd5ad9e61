public import MobiusWire

/// A loop with its facts, as an index has it.
public struct FactEntry: Hashable, Sendable {
    /// The loop.
    public let loop: LoopID
    /// The key of the fact that it was found by; empty if it was found by its name.
    public let key: [UInt8]
    /// The keys of all its facts.
    public var facts: [String: [UInt8]]

    /// Makes an entry.
    public init(loop: LoopID, key: [UInt8], facts: [String: [UInt8]]) {
        self.loop = loop
        self.key = key
        self.facts = facts
    }
}

/// Where a journal keeps the facts of its loops, as a search reads them.
public protocol FactIndex {
    /// Returns the number of loops whose fact has a key within the range; `atMost` if there are more.
    func factCount(_ fact: String, in range: FactRange, atMost: Int) throws(JournalError) -> Int

    /// Returns the first `limit` entries behind a place, of loops whose fact has a key within the range, by (key, loop).
    ///
    /// A descending list is the ascending one from its end; the place need not be within the range.
    func factEntries(
        _ fact: String, in range: FactRange, after: FactPlace?, descending: Bool, limit: Int
    ) throws(JournalError) -> [FactEntry]

    /// Returns the first `limit` entries behind a loop, of loops that have any fact and a name with this prefix, by name.
    func factEntries(prefix: String, after: LoopID?, limit: Int) throws(JournalError) -> [FactEntry]
}

/// A page of the loops that have a name and facts as wanted.
///
/// It lists by names, or by the fact of the sort and then by names. If one of the query's conditions has few loops, they are
/// all read and sorted; else an index is walked in the order of the list.
package struct FactSearch: Sendable {
    /// The largest number of loops that are read at once and sorted.
    package static let fewEntries = 500
    /// About how many entries a page reads at most.
    package static let maximumEntries = 500

    private let kind: String?
    private let prefix: String
    /// Query and sort by the names under which facts are kept.
    private let query: FactQuery?
    private let sort: FactSort?
    private let after: FactPlace?
    private let limit: Int

    /// Plans the page behind `after`, with up to `limit` loops.
    ///
    /// - Parameters:
    ///   - kind: Whose facts are meant, where several programs have some: these are kept as `kind/name`.
    ///   - prefix: What the loops' names begin with.
    package init(
        kind: String?, prefix: String, query: FactQuery?, sort: FactSort?, after: FactPlace?, limit: Int
    ) {
        self.kind = kind
        self.prefix = prefix
        self.query = kind.map { query?.keptUnder($0) } ?? query
        self.sort = kind.map { sort?.keptUnder($0) } ?? sort
        self.after = after.map { FactPlace(key: sort == nil ? [] : $0.key, loop: $0.loop) }
        self.limit = max(1, limit)
    }

    /// Reads the page, and the place behind which the next one begins; `nil` at the end.
    ///
    /// A page may be short, or empty, and not be the last one.
    package func page(of index: some FactIndex) throws(JournalError) -> (found: [FactEntry], next: FactPlace?) {
        let ranges = query?.ranges ?? []
        if let few = try fewest(of: ranges, in: index) {
            let entries = try index.factEntries(
                few.name, in: few.range, after: nil, descending: false, limit: 2 * Self.fewEntries)
            return sorted(entries)
        }
        if let sort {
            let range = ranges.first { $0.name == sort.name }?.range ?? .all
            return try walk { (place, count) throws(JournalError) in
                try index.factEntries(
                    sort.name, in: range, after: place, descending: sort.descending, limit: count)
            }
        }
        // The index of one key is in the order of names.
        if let (name, range) = ranges.first(where: { $0.range.onlyKey != nil }) {
            return try walk { (place, count) throws(JournalError) in
                let place = place.map { FactPlace(key: range.lower, loop: $0.loop) }
                return try index.factEntries(name, in: range, after: place, descending: false, limit: count)
            }
        }
        return try walk { (place, count) throws(JournalError) in
            try index.factEntries(prefix: prefix, after: place?.loop, limit: count)
        }
    }

    // MARK: Few entries

    /// The range with the fewest entries, if these are few.
    private func fewest(
        of ranges: [(name: String, range: FactRange)], in index: some FactIndex
    ) throws(JournalError) -> (name: String, range: FactRange)? {
        var (fewest, smallest): ((name: String, range: FactRange)?, Int) = (nil, Self.fewEntries + 1)
        for (name, range) in ranges where smallest > 0 {
            let count = range.isEmpty ? 0 : try index.factCount(name, in: range, atMost: smallest)
            if count < smallest { (fewest, smallest) = ((name, range), count) }
        }
        return fewest
    }

    /// The page of a list whose entries are all here.
    private func sorted(_ entries: [FactEntry]) -> (found: [FactEntry], next: FactPlace?) {
        let all = entries.filter { isFound($0) && isBehind(place(of: $0)) }.sorted {
            let (one, other) = (place(of: $0), place(of: $1))
            return isDescending ? other < one : one < other
        }
        let page = all.prefix(limit)
        return (page.map(listed), all.count > limit ? page.last.map(place) : nil)
    }

    private func isBehind(_ place: FactPlace) -> Bool {
        guard let after else { return true }
        return isDescending ? place < after : after < place
    }

    // MARK: Walks

    /// Reads an index that is in the order of the list, in blocks, until the page is full or enough is read.
    private func walk(
        _ block: (FactPlace?, Int) throws(JournalError) -> [FactEntry]
    ) throws(JournalError) -> (found: [FactEntry], next: FactPlace?) {
        var page: [FactEntry] = []
        var (last, read) = (after, 0)
        // One more than the page has tells whether that is the end.
        var size = min(limit, Self.fewEntries - 1) + 1
        while read < Self.maximumEntries {
            let entries = try block(last, size)
            for entry in entries {
                if page.count == limit { return (page, last) }
                last = place(of: entry)
                if isFound(entry) { page.append(listed(entry)) }
            }
            guard entries.count == size else { return (page, nil) }
            read += size
            size = min(2 * size, Self.fewEntries)
        }
        return (page, last)
    }

    // MARK: Entries

    private var isDescending: Bool { sort?.descending ?? false }

    /// The place of an entry in the list; of one that the list does not have, where it was read.
    private func place(of entry: FactEntry) -> FactPlace {
        FactPlace(key: sort.map { entry.facts[$0.name] ?? entry.key } ?? [], loop: entry.loop)
    }

    private func isFound(_ entry: FactEntry) -> Bool {
        entry.loop.name.utf8.starts(with: prefix.utf8) && hasFacts(entry)
            && sort.map { entry.facts[$0.name] != nil } ?? true && query?.matches(entry.facts) ?? true
    }

    /// Whether the loop has facts of the kind.
    private func hasFacts(_ entry: FactEntry) -> Bool {
        guard let start = kind.map(FactName.prefix(of:)) else { return true }
        return entry.facts.keys.contains { $0.utf8.starts(with: start.utf8) }
    }

    /// The entry as the list has it, with the facts' names as the program has them.
    private func listed(_ entry: FactEntry) -> FactEntry {
        let start = kind.map(FactName.prefix(of:)) ?? ""
        let facts = entry.facts.compactMap { name, key in
            name.utf8.starts(with: start.utf8) ? (String(name.utf8.dropFirst(start.utf8.count)) ?? name, key) : nil
        }
        return FactEntry(
            loop: entry.loop, key: place(of: entry).key, facts: Dictionary(uniqueKeysWithValues: facts))
    }
}
