import Foundation
import MobiusCodec
import Testing

/// What is remembered of keys from value to value, and what is seen of them before they are compared.
@Suite("Keys in JSON")
struct JSONKeyTests {
    /// More keys than are remembered, among them long ones, and ones that need escapes.
    struct Wide: Codable, Equatable, Sendable {
        var a = 1
        var b = 2
        var c = 3
        var d = 4
        var e = 5
        var f = 6
        var g = 7
        var h = 8
        var quote = 9
        var empty = 10
        var text21 = 11
        var text22 = 12
        var text24 = 13
        var text25 = 14
        var accent = 15
        var p = 16
        var q = 17
        var r = 18

        enum CodingKeys: String, CodingKey, CaseIterable {
            case a, b, c, d, e, f, g, h
            case quote = "say \"a\\b\""
            case empty = ""
            case text21 = "twenty-one characters"
            case text22 = "twenty-two characters!"
            case text24 = "twenty-four characters!!"
            case text25 = "twenty-five characters!!!"
            case accent = "é"
            case p, q, r
        }
    }

    /// The one key of its type.
    struct Single: Codable, Equatable, Sendable {
        var only: [Int]
    }

    private func text<Value: Codable>(_ value: Value, _ scratch: inout CodingScratch) throws -> String {
        var bytes: [UInt8] = []
        try JSONCodec(Value.self).encode(value, into: &bytes, scratch: &scratch)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func value<Value: Codable>(
        _ type: Value.Type, _ text: String, _ scratch: inout CodingScratch
    ) throws -> Value {
        try JSONCodec(type).decode(Array(text.utf8).span.bytes, scratch: &scratch)
    }

    @Test("are written the same when they are known as when they are new")
    func written() throws {
        var scratch = CodingScratch()
        let first = try text([Wide(), Wide()], &scratch)
        let one = try text(Wide(a: 1), &scratch)
        #expect(first == "[\(one),\(one)]")
        #expect(one.hasPrefix(#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"say \"a\\b\"":9,"":10,"#))
        #expect(one.contains(#""twenty-one characters":11,"twenty-two characters!":12,"twenty-four characters!!":13,"#))
        #expect(one.hasSuffix(#""twenty-five characters!!!":14,"é":15,"p":16,"q":17,"r":18}"#))
        #expect(try text(Single(only: [1]), &scratch) == #"{"only":[1]}"#)
        #expect(try text(Single(only: []), &scratch) == #"{"only":[]}"#)
    }

    @Test("are found in any order, by who asked for them before in another")
    func found() throws {
        var scratch = CodingScratch()
        let names = Wide.CodingKeys.allCases.map(\.rawValue)
        for turn in names.indices {
            let order = names[turn...] + names[..<turn]
            let members = try order.map { name in
                "\(try text(name, &scratch)):\(try #require(names.firstIndex(of: name)) + 1)"
            }
            let json = "{\(members.joined(separator: ","))}"
            #expect(try value(Wide.self, json, &scratch) == Wide())
            // A decomposed letter is the same key.
            let decomposed = json.replacing("\u{e9}", with: "e\u{301}")
            #expect(try value(Wide.self, decomposed, &scratch) == Wide())
            let lacking = json.replacing("\"p\"", with: "\"P\"")
            #expect(throws: CodingFailure.self) { try value(Wide.self, lacking, &scratch) }
        }
        #expect(try value(Single.self, #"{"other":[],"only":[7]}"#, &scratch) == Single(only: [7]))
        #expect(try value(Single.self, #"{"\u006fnly":[8]}"#, &scratch) == Single(only: [8]))
        #expect(throws: CodingFailure.self) { try value(Single.self, #"{"onle":[7]}"#, &scratch) }
    }

    @Test("that are there twice: the first one counts, between however many that look like it", arguments: 0..<20)
    func twice(others: Int) throws {
        var scratch = CodingScratch()
        // The same length and the same first letter.
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".prefix(others)
        let alike = letters.map { "\"on\($0)y\":0," }.joined()
        #expect(try value(Single.self, "{\(alike)\"only\":[1],\"only\":[2]}", &scratch) == Single(only: [1]))
        #expect(try value(Single.self, "{\"only\":[1],\(alike)\"only\":[2]}", &scratch) == Single(only: [1]))
        let numbers = try value([String: Int].self, "{\(alike)\"x\":1,\"y\":2,\"x\":3,\"\":4,\"\":5}", &scratch)
        #expect(numbers["x"] == 1 && numbers["y"] == 2 && numbers[""] == 4 && numbers.count == others + 3)
    }

    @Test("texts of every length with every kind of character at every place are written and read back")
    func texts() throws {
        var scratch = CodingScratch()
        for count in 1..<34 {
            for place in 0..<count {
                for special in ["\"", "\\", "\u{1f}", "\u{0}", " ", "\u{7f}", "é", "😀"] {
                    var letters = Array(repeating: "x", count: count)
                    letters[place] = special
                    let whole = letters.joined()
                    let json = try text(whole, &scratch)
                    let encoder = JSONEncoder()
                    encoder.outputFormatting = .withoutEscapingSlashes
                    #expect(json == String(decoding: try encoder.encode(whole), as: UTF8.self))
                    #expect(try value(String.self, json, &scratch) == whole)
                }
            }
        }
    }
}
