import MobiusWire
import TestTraits
import Testing

@Suite("Texts that are no queries", .ownThread)
struct FactQueryErrorTests {
    private static let values = "Here must be a value: a number, true, false, a time, or a text in quotes."
    private static let names = "Here must be the name of a fact, 'not', 'has' or '('."
    private static let rule =
        "is no name of a fact: a name is a letter, then up to 62 letters, digits or underscores, all ASCII."
    private static let number =
        "is neither a number nor a time such as 2026-12-01 or 2026-12-01T10:00Z: put a text in quotes."

    /// A text, what is wrong with it, and the column of the caret.
    static let bad: [(String, String, Int)] = [
        ("stage", "Here must be =, !=, <, <=, >, >=, in or begins with.", 5),
        ("stage waiting", "Here must be =, !=, <, <=, >, >=, in or begins with.", 6),
        ("stage ( 1 )", "Here must be =, !=, <, <=, >, >=, in or begins with.", 6),
        ("stage =", values, 7), ("a = and b = 1", values, 4), ("a = (1)", values, 4), ("a < > 1", values, 4),
        ("a = 1,", "Here must be 'and', 'or' or the end.", 5), ("a = b c", "Here must be 'and', 'or' or the end.", 6),
        ("a = 1 && b = 2", "Here must be 'and', 'or' or the end.", 6),
        ("a = 1)", "Here must be 'and', 'or' or the end.", 5),
        ("(a = 1", "This parenthesis has no partner: add ')'.", 0),
        ("(a = 1 b", "Here must be 'and', 'or' or ')'.", 7),
        ("a = 1 and", names, 9), ("= 1", names, 0), ("()", names, 1), ("not", names, 3), ("has 'a'", names, 4),
        ("a = 1 or or b = 2", "Here must be =, !=, <, <=, >, >=, in or begins with.", 12),
        ("due-date = 1", "'due-date' \(rule)", 0), ("1 = 1", "'1' \(rule)", 0), ("has größe", "'größe' \(rule)", 4),
        ("a in 1", "Here must be values in parentheses: in ('a', 'b').", 5),
        ("a in ()", values, 6), ("a in (1 2)", "Here must be ',' or ')'.", 8),
        ("a in (1", "Here must be ',' or ')'.", 7),
        ("a begins 'x'", "Here must be 'with': begins with 'text'.", 9),
        ("a begins with 5", "Here must be a text in quotes.", 14), ("a begins with", values, 13),
        ("a ! b", "'!' compares nothing: write != or not.", 2),
        ("a = 'x", "This quotation mark has no partner: add it behind the text, and double those within.", 4),
        (#"a = 'x\'"#, "This quotation mark has no partner: add it behind the text, and double those within.", 4),
        ("a = 12ab", "'12ab' \(number)", 4), ("a = -", "'-' \(number)", 4), ("a = 0x10", "'0x10' \(number)", 4),
        ("a = 2026-13-01", "'2026-13-01' \(number)", 4), ("a = 2026-12-01T10:00", "'2026-12-01T10:00' \(number)", 4),
        ("a = 1e999", "This number is too large: doubles end at 1.8e308.", 4),
        ("a = now+2w", "A time from now is such as now+2h or now-30m, in s, m, h or d.", 4),
        ("a = now-", "A time from now is such as now+2h or now-30m, in s, m, h or d.", 4),
        ("a = now+9223372036854775807d", "A time from now is such as now+2h or now-30m, in s, m, h or d.", 4),
        ("größer = 'ü'", "'größer' \(rule)", 0), ("x = 'ü' y", "Here must be 'and', 'or' or the end.", 8),
    ]

    @Test("errors tell the place and what to do", arguments: bad)
    func errors(text: String, message: String, column: Int) {
        let error = #expect(throws: FactQueryError.self) { try FactQuery(text, now: FactQueryTests.now) }
        let caret = String(repeating: " ", count: column) + "^"
        #expect(error?.description == "\(message)\n    \(text)\n    \(caret)")
    }

    @Test("a query is not empty, and not too long")
    func lengths() throws {
        for text in ["", " ", "\n"] {
            let error = #expect(throws: FactQueryError.self) { try FactQuery(text, now: FactQueryTests.now) }
            #expect(error?.description == "The query is empty: write a comparison, such as stage = 'open'.")
        }
        let text = "a = '\(String(repeating: "x", count: 4090))'"
        _ = try FactQuery(text, now: FactQueryTests.now)
        let error = #expect(throws: FactQueryError.self) { try FactQuery(text + " ", now: FactQueryTests.now) }
        #expect(error?.description == "The query has 4097 bytes, 4096 at most: shorten it.")
    }

    @Test("64 comparisons at most, and 32 parentheses and nots within each other")
    func limits() throws {
        func error(_ text: String) -> String? {
            #expect(throws: FactQueryError.self) { try FactQuery(text, now: FactQueryTests.now) }?.message
        }
        func list(_ count: Int) -> String { "a in (\(Array(repeating: "1", count: count).joined(separator: ", ")))" }
        _ = try FactQuery(list(62) + " and has b or b begins with x", now: FactQueryTests.now)
        #expect(error(list(63) + " and has b or b = x") == "This is comparison 65, 64 at most: use fewer.")
        func nested(_ count: Int) -> String {
            (0..<count).reduce("a = 1") { text, number in number.isMultiple(of: 2) ? "(\(text))" : "not \(text)" }
        }
        _ = try FactQuery(nested(32) + " and " + nested(32), now: FactQueryTests.now)
        let tooDeep = "More than 32 parentheses and 'not' lie within each other: use fewer."
        #expect(error(nested(33)) == tooDeep)
        #expect(error(String(repeating: "(", count: 4096)) == tooDeep)
        #expect(error(String(repeating: "not ", count: 1024)) == tooDeep)
        #expect(
            error("a begins with '\(String(repeating: "x", count: 257))'")
                == "Facts keep 256 bytes of a text: shorten this one.")
    }

    @Test("of a long text the part around the place is shown, and nothing that controls a terminal")
    func excerpt() {
        let text =
            String(repeating: "a = 1 or ", count: 10) + "\u{1B}[1m\u{202E} = 1"
            + String(repeating: " or b = 2", count: 9)
        let error = #expect(throws: FactQueryError.self) { try FactQuery(text, now: FactQueryTests.now) }
        #expect(
            error?.description == """
                ' [1m ' \(Self.rule)
                    …1 or a = 1 or a = 1 or a = 1 or a = 1 or a = 1 or  [1m  = 1 or b = 2 or b = 2 or…
                                                                       ^
                """)
        let word = #expect(throws: FactQueryError.self) {
            try FactQuery(String(repeating: "é", count: 500), now: FactQueryTests.now)
        }
        #expect(word?.message == "'\(String(repeating: "é", count: 40))…' \(Self.rule)")
    }

    @Test("any bytes and any words are a query or an error, in a moment", arguments: 0..<4 as Range<UInt64>)
    func hostile(seed: UInt64) {
        var generator = SeededGenerator(state: seed << 32)
        let words = [
            "a", "b", "not", "has", "and", "or", "in", "begins", "with", "now", "now+1d", "true", "1", "-5e3", "'x'",
            "\"",
            "(", ")", ",", "=", "!=", "<", ">=", "!", "2026-12-01", "\\", "é", "'",
        ]
        var queries = 0
        for round in 0..<20_000 {
            let text =
                if round.isMultiple(of: 2) {
                    (0...generator.number(upTo: 12)).map { _ in words[generator.number(upTo: words.count - 1)] }
                        .joined(separator: generator.chance(oneIn: 2) ? " " : "")
                } else {
                    String(
                        decoding: (0...generator.number(upTo: 20)).map { _ in UInt8(generator.number(upTo: 255)) },
                        as: UTF8.self)
                }
            do {
                let query = try FactQuery(text, now: FactQueryTests.now)
                queries += 1
                #expect(!query.names.isEmpty)
                _ = (query.matches([:]), query.ranges)
            } catch {
                #expect(!error.description.isEmpty)
            }
            _ = try? FactSort(text)
        }
        #expect(queries > 10)
    }
}
