import MobiusWire
import Testing

@Suite("Facts")
struct FactsTests {
    enum Stage: String, FactConvertible { case draft, approved }
    enum Level: Int, FactConvertible { case low = 1, high }

    @Test("a value of each type that can be a fact")
    func types() {
        let (none, due): (Int?, WallTime?) = (nil, WallTime(milliseconds: 5))
        let facts: Facts = [
            "stage": Stage.approved, "level": Level.high, "text": "words", "paid": true, "count": 3, "total": 1.5,
            "large": UInt64.max, "small": Int8.min, "float": Float(0.5), "due": due, "none": none, "nil": nil,
            "nan": Double.nan, "infinite": -Float.infinity, "value": FactValue.integer(9), "A_1": Optional("x"),
        ]
        let expected: [String: FactValue] = [
            "stage": .text("approved"), "level": .integer(2), "text": .text("words"), "paid": .bool(true),
            "count": .integer(3), "total": .number(1.5), "large": .number(0x1p64), "small": .integer(-128),
            "float": .number(0.5), "due": .time(WallTime(milliseconds: 5)), "value": .integer(9), "A_1": .text("x"),
        ]
        for (name, value) in expected { #expect(facts[name] == value) }
        for name in ["none", "nil", "nan", "infinite", "other", ""] { #expect(facts[name] == nil) }
        let keyed = facts.keyed
        #expect(keyed.map(\.name) == expected.keys.sorted())
        #expect(keyed.allSatisfy { expected[$0.name]?.key == $0.key })
    }

    @Test("they are the same when their keys are")
    func equality() {
        let (one, other): (Facts, Facts) = (["a": 1, "b": 2.0, "c": nil], ["b": 2, "a": 1.0])
        #expect(one == other && one.hashValue == other.hashValue)
        let (less, empty): (Facts, Facts) = (["a": 1], [:])
        #expect(one != less && less != empty)
    }

    @Test(
        "wrong names",
        arguments: [
            ([""], "'' is no name of a fact"), (["1a"], "'1a' is no name of a fact"), (["_a"], "'_a' is no"),
            (["é"], "'é' is no"), (["a-b"], "'a-b' is no"), ([String(repeating: "a", count: 64)], "'aaaa"),
            (["a", "b", "a"], "A fact has one value"), ((0..<17).map { "a\($0)" }, "A loop has at most 16 facts"),
        ])
    func wrong(names: [String], problem: String) throws {
        #expect(try #require(Facts.problem(with: names)).hasPrefix(problem))
    }

    @Test("right names")
    func right() {
        #expect(Facts.problem(with: ["a", "Z9_", String(repeating: "a", count: 63)]) == nil)
    }

    @Test("wrong names trap with a sentence")
    func trap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let facts: Facts = ["due date": 1]
            _ = facts
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("'due date' is no name of a fact: a name is a letter, then up to 62 letters"))
    }

    @Test("places are read as they are written, and nothing else is")
    func places() throws {
        var generator = SeededGenerator(state: 4)
        for _ in 0..<5000 {
            let key = generator.chance(oneIn: 5) ? [] : generator.factValue().key
            let loop = try #require(LoopID("l" + generator.string(upTo: 100)))
            let place = FactPlace(key: key, loop: loop)
            #expect(FactPlace(text: place.text) == place)
            var bytes = Array(place.text.utf8)
            bytes[generator.number(upTo: bytes.count - 1)] = UInt8(generator.number(upTo: 127))
            let text = String(decoding: bytes, as: UTF8.self)
            if let other = FactPlace(text: text) { #expect(other.text.utf8.elementsEqual(text.utf8)) }
        }
        let main = try #require(LoopID("main"))
        #expect(FactPlace(key: [2, 0xC0], loop: main).text == "02c0.main")
        #expect(FactPlace(text: ".main") == FactPlace(key: [], loop: main))
        let accented = try #require(LoopID("\u{301}"))
        #expect(FactPlace(text: FactPlace(key: [1], loop: accented).text) == FactPlace(key: [1], loop: accented))
        let long = String(repeating: "ab", count: 258)
        for text in ["", ".", "main", "0.main", "0g.main", "0C.main", "01.", "\(long).main", "é.main"] {
            #expect(FactPlace(text: text) == nil, "\(text)")
        }
    }

    @Test("places are in the order of keys, then of names")
    func placeOrder() throws {
        let (a, b) = (try #require(LoopID("a")), try #require(LoopID("b")))
        let places = [
            FactPlace(key: [], loop: b), FactPlace(key: [1], loop: a), FactPlace(key: [1], loop: b),
            FactPlace(key: [1, 0], loop: a), FactPlace(key: [2], loop: a),
        ]
        #expect(places.reversed().sorted() == places)
    }

    @Test("ranges")
    func ranges() {
        let (low, high) = (FactRange(lower: [1], upper: [3]), FactRange(lower: [2], upper: nil))
        #expect(low.contains([1]) && low.contains([2, 9]) && !low.contains([3]) && !low.contains([0, 9]))
        #expect(low.intersection(high) == FactRange(lower: [2], upper: [3]))
        #expect(low.intersection(.all) == low && FactRange.all.intersection(.all) == .all)
        #expect(FactRange(lower: [2], upper: [2]).isEmpty && FactRange(lower: [3], upper: [2]).isEmpty)
        #expect(!low.isEmpty && !high.isEmpty && !FactRange.all.isEmpty)
        let one = FactRange(only: [7])
        #expect(one.contains([7]) && !one.contains([7, 0]) && !one.contains([6, 255]))
        #expect(one.onlyKey == [7] && low.onlyKey == nil && FactRange.all.onlyKey == nil)
    }
}
