import Foundation
import MobiusCore
import MobiusTest
import Testing

/// How values and their differences are shown.
@Suite struct DifferenceTests {
    enum Kind: Equatable { case plain, named(String), pair(Int, label: String) }
    struct Item: Equatable {
        var id: Int
        var kind = Kind.plain
        var note: String?
    }
    final class Node: Equatable {
        let name: String
        var next: Node?

        init(_ name: String) { self.name = name }

        static func == (lhs: Node, rhs: Node) -> Bool { lhs === rhs }
    }
    struct Secretive: Equatable, CustomStringConvertible {
        var secret: Int
        var description: String { "Secretive" }
    }
    struct Odd: Equatable {
        static func == (lhs: Odd, rhs: Odd) -> Bool { false }
    }

    /// What `hasModel(expected)` says of another model, without its first line.
    private func difference<Model: Equatable>(_ expected: Model, _ actual: Model) -> String? {
        let predicate: NextPredicate<Model, Never> = hasModel(expected)
        return predicate(.next(actual)).message.map {
            $0.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().joined(separator: "\n")
        }
    }

    @Test func `nested values differ line by line, long equal stretches are left out`() {
        let expected = (1...20).map { Item(id: $0, kind: .named("a name for number \($0) so long that it breaks")) }
        var actual = expected
        actual[9].kind = .pair(1, label: "x")
        actual.append(Item(id: 99, note: "new"))
        #expect(
            difference(expected, actual) == """
                (− expected, + actual)
                  … (43 equal lines)
                      kind: .named("a name for number 9 so long that it breaks"),
                      note: nil,
                    ),
                −   Item(
                −     id: 10,
                −     kind: .named("a name for number 10 so long that it breaks"),
                −     note: nil,
                −   ),
                +   Item(id: 10, kind: .pair(1, label: "x"), note: nil),
                    Item(
                      id: 11,
                      kind: .named("a name for number 11 so long that it breaks"),
                  … (44 equal lines)
                      kind: .named("a name for number 20 so long that it breaks"),
                      note: nil,
                    ),
                +   Item(id: 99, kind: .plain, note: "new"),
                  ]
                """)
    }

    @Test func `short values stay on their lines`() {
        #expect(
            difference(Item(id: 1), Item(id: 2, kind: .pair(3, label: "x"), note: "n")) == """
                (− expected, + actual)
                − Item(id: 1, kind: .plain, note: nil)
                + Item(id: 2, kind: .pair(3, label: "x"), note: "n")
                """)
    }

    @Test func `dictionaries and sets are shown in order, whatever theirs`() {
        let numbers = Dictionary(uniqueKeysWithValues: (1...9).map { ("key \($0)", $0) })
        var other = numbers
        other["key 5"] = 50
        #expect(
            difference(numbers, other) == """
                (− expected, + actual)
                  … (2 equal lines)
                    "key 2": 2,
                    "key 3": 3,
                    "key 4": 4,
                −   "key 5": 5,
                +   "key 5": 50,
                    "key 6": 6,
                    "key 7": 7,
                    "key 8": 8,
                  … (2 equal lines)
                """)
        #expect(
            difference(Set([3, 1, 2]), Set([1])) == """
                (− expected, + actual)
                − Set([1, 2, 3])
                + Set([1])
                """)
        #expect(
            difference([String: Int](), ["a": 1]) == """
                (− expected, + actual)
                − [:]
                + ["a": 1]
                """)
    }

    @Test func `values that describe themselves are taken at their word`() throws {
        let (one, two) = (
            try #require(URL(string: "https://a.example")), try #require(URL(string: "https://b.example"))
        )
        #expect(
            difference(one, two) == """
                (− expected, + actual)
                − https://a.example
                + https://b.example
                """)
    }

    @Test func `where descriptions hide the difference, the parts are shown`() {
        #expect(
            difference(Secretive(secret: 1), Secretive(secret: 2)) == """
                (− expected, + actual)
                − Secretive(secret: 1)
                + Secretive(secret: 2)
                """)
    }

    @Test func `values that look the same and are not equal`() {
        #expect(
            difference(Odd(), Odd()) == """
                (− expected, + actual)
                  Odd()
                They look the same, yet == says that they are not.
                """)
    }

    @Test func `texts with several lines, characters, optionals`() {
        #expect(
            difference("a\nb", "a\nc") == #"""
                (− expected, + actual)
                − "a\nb"
                + "a\nc"
                """#)
        #expect(
            difference(Character("x") as Character?, nil) == """
                (− expected, + actual)
                − "x"
                + nil
                """)
    }

    @Test func `objects that hold each other come to an end`() {
        let (one, two) = (Node("one"), Node("two"))
        (one.next, two.next) = (two, one)
        #expect(difference(one, two)?.contains(#"name: "one""#) == true)
        (one.next, two.next) = (nil, nil)
    }
}
