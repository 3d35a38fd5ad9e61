import MobiusWire
import TestTraits
import Testing

@Suite("Queries of facts", .ownThread)
struct FactQueryTests {
    static let now = WallTime(milliseconds: 1_796_119_200_000)  // 2026-12-01T10:00:00.000Z
    static let facts: Facts = [
        "stage": "waitingForApproval", "customer": "Ada's \"shop\"", "total": 120, "share": 0.25, "paid": false,
        "due": WallTime(milliseconds: now.milliseconds + 7_200_000), "not": 1, "has": "in", "in": 2,
    ]

    @Test(
        "true of an order",
        arguments: [
            "stage = waitingForApproval", "stage == 'waitingForApproval'", "STAGE = x or stage=\"waitingForApproval\"",
            "total > 100", "total>=120", "total <= 1.2e2", "total < 121 AND total > 119.5", "total = 120.0",
            "share=.25", "share > -1", "share < +1", "paid = FALSE", "paid != true", "paid < true", "stage != 3",
            "customer = 'Ada''s \"shop\"'", "customer = \"Ada's \"\"shop\"\"\"", #"customer = 'Ada\'s "shop"'"#,
            "customer begins with Ada", "customer BEGINS WITH ''", "stage in (draft, waitingForApproval)",
            "total in (1, 120, 'x')", "has due", "Has due and not has missing", "not missing = 1", "not missing != 1",
            "not (stage = draft or total < 100)", "NOT not has total", "((total = 120))",
            "due > now", "due = now+2h", "due = NOW+120m", "due < now+1d", "due > now-30s", "due = 2026-12-01T12:00Z",
            "due = 2026-12-01T12:00:00Z", "due = 2026-12-01T12:00:00.0Z", "due >= 2026-12-01T12:00:00.000Z",
            "due > 2026-12-01 and due < 2026-12-02", "due != 2026-12-01", "due < +012026-12-01",
            "due > now-9223372036854775s", "stage = draft or total = 1 and paid = true or has due",
            "not = 1", "not not = 2", "has = in", "has has", "in = 2", "in in (1, 2)", "has in and in > 1",
            "total\n>\t100", "total < 9223372036854775808",
            "total < 1.7e308", "stage begins with 'waiting' and stage != 'waiting'",
        ])
    func holds(text: String) throws {
        #expect(try Self.matches(text))
    }

    @Test(
        "false of an order",
        arguments: [
            "stage = Waitingforapproval", "Stage = waitingForApproval", "total > 120", "total < 'a'", "total > ''",
            "total > true", "stage > 1", "due > 'a'", "due < 5", "missing = 1", "missing != 1", "missing < 1",
            "missing begins with ''", "missing in (1)", "has missing", "not has total", "stage begins with Waiting",
            "customer = 'Ada*'", "total begins with '1'", "total = '120'", "paid = 'false'", "paid = 0",
            "total in (1, 2)", "has due and has missing", "total = 120 and not (paid = false)", "due = now",
            "due = 'now+2h'", "due = '2026-12-01T12:00:00.000Z'", "total = 1 or total = 2 and has due",
        ])
    func fails(text: String) throws {
        #expect(try !Self.matches(text))
    }

    private static func matches(_ text: String) throws -> Bool {
        let query = try FactQuery(text, now: now)
        return query.matches(Dictionary(uniqueKeysWithValues: facts.keyed.map { ($0.name, $0.key) }))
    }

    @Test("what every match satisfies")
    func ranges() throws {
        let query = try FactQuery(
            "total > 5 and b = 1 and (a = 1 or c = 2) and total <= 9 and not d = 1 and e != 1 and f in (3, 1, 2)",
            now: Self.now)
        let (five, nine) = (FactValue.integer(5).key, FactValue.integer(9).key)
        let (one, three) = (FactValue.integer(1).key, FactValue.integer(3).key)
        let expected = [
            "b": FactRange(only: one), "e": .all, "f": FactRange(lower: one, upper: three + [0]),
            "total": FactRange(lower: five + [0], upper: nine + [0]),
        ]
        let ranges = query.ranges
        #expect(ranges.map(\.name) == ["b", "e", "f", "total"])
        #expect(Dictionary(uniqueKeysWithValues: ranges.map { ($0.name, $0.range) }) == expected)
        #expect(query.names == ["a", "b", "c", "d", "e", "f", "total"])
        let contradiction = try FactQuery("a = 1 and a = 2", now: Self.now).ranges
        #expect(contradiction.map(\.range.isEmpty) == [true])
    }

    @Test("the query and the sort of a kind")
    func kinds() throws {
        let query = try FactQuery("a = 1 and not (b < 2 or has c)", now: Self.now).keptUnder("order")
        #expect(query.names == ["order/a", "order/b", "order/c"])
        #expect(query.matches(["order/a": FactValue.integer(1).key, "a": [], "c": []]))
        #expect(try FactSort("-due").keptUnder("order").name == "order/due")
    }

    @Test("sorts")
    func sorts() throws {
        for text in ["due", " due ", "due asc", "due ASC"] {
            let sort = try FactSort(text)
            #expect(sort.name == "due" && !sort.descending, "\(text)")
        }
        for text in ["-due", "due desc", "due  DESC"] {
            let sort = try FactSort(text)
            #expect(sort.name == "due" && sort.descending, "\(text)")
        }
        for text in ["", "-", "--due", "due down", "due desc x", "-due desc", "due, total", "1"] {
            let error = #expect(throws: FactQueryError.self, "\(text)") { try FactSort(text) }
            #expect(error?.message == "A sort is the name of a fact, such as due, -due or due desc.")
        }
    }

    @Test("matches are those of the values, and within the ranges", arguments: 0..<4 as Range<UInt64>)
    func evaluation(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed << 32)
        var matches = 0
        for _ in 0..<3000 {
            let plain = generator.query()
            let query: FactQuery
            do {
                query = try FactQuery(plain.text, now: Self.now)
            } catch {
                // Only this can be too much.
                #expect(error.message.hasPrefix("This is comparison 65"), "\(error)")
                continue
            }
            for _ in 0..<5 {
                let facts = generator.facts()
                let keys = facts.mapValues(\.key)
                let isMatch = query.matches(keys)
                #expect(isMatch == plain.matches(facts), "\(plain.text) of \(facts)")
                guard isMatch else { continue }
                matches += 1
                let isWithin = query.ranges.allSatisfy { name, range in keys[name].map(range.contains) ?? false }
                #expect(isWithin, "\(plain.text) of \(facts)")
            }
        }
        #expect(matches > 1000)
    }
}
