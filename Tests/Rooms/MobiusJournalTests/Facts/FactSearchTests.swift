import MobiusJournal
import MobiusWire
import TestTraits
import Testing

@Suite("Searches of loops by their facts", .ownThread)
struct FactSearchTests {
    /// A generator with a seed (Steele, Lea and Flood 2014, "SplitMix").
    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }

        mutating func one<Element>(of elements: [Element]) -> Element {
            elements[Int.random(in: 0..<elements.count, using: &self)]
        }

        mutating func chance(oneIn many: Int) -> Bool { Int.random(in: 0..<many, using: &self) == 0 }

        /// An order's facts: three stages of many orders and one of few, totals of which many are the same.
        mutating func facts(under start: String) -> [String: [UInt8]] {
            var facts = [
                start + "stage": FactValue.text(
                    chance(oneIn: 50) ? "rare" : one(of: ["open", "paid", "done", "done"])
                ).key
            ]
            if !chance(oneIn: 5) { facts[start + "total"] = FactValue.integer(.random(in: 0...300, using: &self)).key }
            if chance(oneIn: 3) { facts[start + "due"] = FactValue.number(.random(in: 0...9, using: &self)).key }
            return facts
        }
    }

    private static let now = WallTime(milliseconds: 0)
    private static let queries: [String?] = [
        nil, "stage = open", "stage = rare", "stage = none", "total > 100", "total > 100 and stage = done",
        "total > 299 or due > 8.9", "not has due", "due < 0.5", "total in (5, 7, 9)", "stage != done",
        "total > 10 and total < 5", "stage = done and stage begins with d", "has missing", "total = 77",
        "stage = open and due > 3 and not total < 50", "missing = 1 or stage = paid",
    ]

    private static func loop(_ name: String) throws -> LoopID { try #require(LoopID(name)) }

    private static func entries(_ count: Int, under start: String, random: inout Random) throws -> [FactEntry] {
        var entries: [FactEntry] = []
        for number in 0..<count {
            let loop = try loop("order/\(number)")
            entries.append(FactEntry(loop: loop, key: [], facts: random.facts(under: start)))
        }
        return entries
    }

    /// All pages of a search, one after the other.
    private static func pages(
        of index: ListedFacts, limit: Int, search: (FactPlace?) -> FactSearch
    ) throws -> [FactEntry] {
        var found: [FactEntry] = []
        var after: FactPlace?
        repeat {
            let before = index.read
            let page = try search(after).page(of: index)
            #expect(page.found.count <= limit)
            #expect(index.read - before <= FactSearch.maximumEntries + FactSearch.fewEntries)
            found += page.found
            after = page.next
        } while after != nil
        return found
    }

    @Test("all pages are all loops with such facts, in order, once each", arguments: [nil, "order"])
    func pages(kind: String?) throws {
        var random = Random(state: 1)
        let orders = try Self.entries(2500, under: "", random: &random)
        let start = kind.map { "\($0)/" } ?? ""
        let stored = orders.map { entry in
            let facts = Dictionary(uniqueKeysWithValues: entry.facts.map { (start + $0.key, $0.value) })
            return FactEntry(loop: entry.loop, key: [], facts: facts)
        }
        let others = try (0..<300).map { number in
            FactEntry(
                loop: try Self.loop(number.isMultiple(of: 2) ? "parcel/\(number)" : "order/1\(number)x"), key: [],
                facts: random.facts(under: "parcel/"))
        }
        let index = ListedFacts(stored + (kind == nil ? [] : others))
        let sorts = [
            nil, try FactSort("total"), try FactSort("-due"), try FactSort("stage desc"), try FactSort("missing"),
        ]
        for (text, sort) in Self.queries.flatMap({ text in sorts.map { (text, $0) } }) {
            let query = try text.map { try FactQuery($0, now: Self.now) }
            let prefix = random.one(of: ["", "", "order/", "order/1", "x"])
            let limit = random.one(of: [7, 100, 100, 999, 9000])
            let found = try Self.pages(of: index, limit: limit) {
                FactSearch(kind: kind, prefix: prefix, query: query, sort: sort, after: $0, limit: limit)
            }
            let expected = orders.compactMap { entry -> FactEntry? in
                guard entry.loop.name.hasPrefix(prefix), query?.matches(entry.facts) ?? true else { return nil }
                guard let key = sort.map({ entry.facts[$0.name] }) ?? [] else { return nil }
                return FactEntry(loop: entry.loop, key: key, facts: entry.facts)
            }.sorted {
                let places = [$0, $1].map { FactPlace(key: $0.key, loop: $0.loop) }
                return sort?.descending ?? false ? places[1] < places[0] : places[0] < places[1]
            }
            #expect(found == expected, "\(text ?? "all") by \(sort?.name ?? "name"), \(limit) from '\(prefix)'")
        }
    }

    @Test("a page reads a few hundred entries at most: it may be short or empty with others behind it")
    func shortPages() throws {
        var random = Random(state: 9)
        var entries = try Self.entries(14_000, under: "", random: &random)
        let last = FactEntry(loop: try Self.loop("p"), key: [], facts: ["other": [1, 0]])
        entries.append(last)
        let index = ListedFacts(entries)
        func search(_ text: String, _ sort: FactSort?, _ after: FactPlace?) throws -> FactSearch {
            FactSearch(
                kind: nil, prefix: "", query: try FactQuery(text, now: Self.now), sort: sort, after: after, limit: 100)
        }
        // By names.
        var page = try search("not has stage", nil, nil).page(of: index)
        #expect(page.found.isEmpty)
        #expect(FactSearch.maximumEntries...FactSearch.maximumEntries + FactSearch.fewEntries ~= index.read)
        let perPage = index.read
        var pages = 1
        while let next = page.next {
            page = try search("not has stage", nil, next).page(of: index)
            pages += 1
        }
        #expect(page.found == [last] && pages == 14_000 / perPage + 1)
        // By the fact of the sort, and by one that has one value.
        let byTotal = try search("not has stage", try FactSort("total"), nil).page(of: index)
        #expect(byTotal.found.isEmpty && byTotal.next != nil)
        let byStage = try search("stage = done and not (total >= 0) and not (stage = done)", nil, nil).page(of: index)
        #expect(byStage.found.isEmpty && byStage.next != nil)
    }

    @Test("few loops with one of the facts are read at once, whatever the sort")
    func few() throws {
        var random = Random(state: 10)
        let index = ListedFacts(try Self.entries(14_000, under: "", random: &random))
        let query = try FactQuery("total > 50 and stage = rare and stage != done", now: Self.now)
        let search = FactSearch(
            kind: nil, prefix: "", query: query, sort: try FactSort("due"), after: nil, limit: 10)
        #expect(try search.page(of: index).found.count == 10)
        #expect(index.read <= FactSearch.fewEntries)
        let none = FactSearch(
            kind: nil, prefix: "", query: try FactQuery("total < 1 and total > 2", now: Self.now), sort: nil,
            after: nil,
            limit: 10)
        let read = index.read
        let page = try none.page(of: index)
        #expect(page.found.isEmpty && page.next == nil && index.read == read)
    }

    @Test("a page that ends with the list has nothing behind it")
    func end() throws {
        var random = Random(state: 11)
        let index = ListedFacts(try Self.entries(100, under: "", random: &random))
        for query in [nil, try FactQuery("has stage", now: Self.now)] {
            for sort in [nil, try FactSort("stage")] {
                let page = try FactSearch(kind: nil, prefix: "", query: query, sort: sort, after: nil, limit: 100)
                    .page(of: index)
                #expect(page.found.count == 100 && page.next == nil)
            }
        }
    }

    @Test("any place and any number of loops is a page", arguments: [Int.min, -1, 0, 1, .max])
    func hostile(limit: Int) throws {
        var random = Random(state: 12)
        let index = ListedFacts(try Self.entries(2000, under: "", random: &random))
        let places: [([UInt8], String)] = [
            ([], "order/5"), ([0], "zzz"), ([255, 255], "\0"), (FactValue.integer(150).key, "order/7"),
        ]
        for (key, name) in places {
            for text in Self.queries {
                for sort in [nil, try FactSort("total"), try FactSort("-total")] {
                    let page = try FactSearch(
                        kind: nil, prefix: "", query: try text.map { try FactQuery($0, now: Self.now) }, sort: sort,
                        after: FactPlace(key: key, loop: try Self.loop(name)), limit: limit
                    ).page(of: index)
                    #expect(page.found.count <= max(1, limit))
                    // Without a sort, the key of a place is nothing.
                    guard sort == nil else { continue }
                    #expect(page.found.allSatisfy { name.utf8.lexicographicallyPrecedes($0.loop.name.utf8) })
                }
            }
        }
    }
}
