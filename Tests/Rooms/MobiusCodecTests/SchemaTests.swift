import Foundation
import MobiusCodec
import Testing

@Suite("Schemas of types")
struct SchemaTests {
    /// The form of a type, with the forms of the types in it in place of their references where that ends.
    private func form(_ type: (some Decodable).Type) -> SchemaShape {
        let reader = SchemaReader()
        let shape = reader.shape(of: type)
        return resolved(shape, reader.definitions, [])
    }

    private func resolved(_ shape: SchemaShape, _ known: [SchemaDefinition], _ inside: Set<Int>) -> SchemaShape {
        let all = { (fields: [SchemaField]) in
            fields.map { SchemaField($0.name, resolved($0.shape, known, inside), isOptional: $0.isOptional) }
        }
        return switch shape {
        case .type(let place):
            inside.contains(place) ? shape : resolved(known[place].shape, known, inside.union([place]))
        case .list(let element): .list(resolved(element, known, inside))
        case .map(let value): .map(resolved(value, known, inside))
        case .optional(let value): .optional(resolved(value, known, inside))
        case .tuple(let elements): .tuple(elements.map { resolved($0, known, inside) })
        case .record(let fields, let isPartial): .record(all(fields), isPartial: isPartial)
        case .choice(let cases): .choice(all(cases))
        default: shape
        }
    }

    private static let int = SchemaShape.integer(low: nil, high: nil)

    @Test("an event's cases with their values")
    func events() {
        #expect(
            form(Trip.self)
                == .choice([
                    SchemaField("booked", .record([SchemaField("_0", .text(.plain))], isPartial: false)),
                    SchemaField(
                        "moved",
                        .record(
                            [
                                SchemaField("from", .text(.uuid)), SchemaField("_1", .number, isOptional: true),
                                SchemaField("how", .texts(["rail", "on-foot"])),
                            ], isPartial: false)),
                    SchemaField("cancelled", .record([], isPartial: false)),
                    SchemaField("all", .record([SchemaField("_0", .list(.map(Self.int)))], isPartial: false)),
                ]))
    }

    @Test("a record's keys, those that may be missing, and values of the standard library")
    func records() {
        #expect(
            form(Stop.self)
                == .record(
                    [
                        SchemaField("name", .text(.plain)), SchemaField("at", .date),
                        SchemaField("rank", .integer(low: 0, high: 255)), SchemaField("page", .text(.url)),
                        SchemaField("note", .text(.plain), isOptional: true), SchemaField("key", .text(.base64)),
                        SchemaField("tags", .list(.text(.plain))), SchemaField("is_open", .bool),
                        SchemaField("grade", .integers([1, 5])),
                    ], isPartial: false))
    }

    @Test("types that contain themselves")
    func recursion() throws {
        let reader = SchemaReader()
        #expect(reader.shape(of: Tree.self) == .type(0))
        #expect(
            reader.definitions.map(\.shape) == [
                .choice([
                    SchemaField(
                        "node",
                        .record(
                            [SchemaField("_0", .type(0)), SchemaField("_1", .list(.type(0)))], isPartial: false)),
                    SchemaField("leaf", .record([SchemaField("_0", Self.int)], isPartial: false)),
                ])
            ])
        // Each of them needs a value of the other.
        let two = SchemaReader()
        _ = two.shape(of: Chicken.self)
        #expect(
            two.definitions.map(\.shape) == [
                .record(
                    [SchemaField("egg", .type(1), isOptional: true), SchemaField("name", .text(.plain))],
                    isPartial: false),
                .record([SchemaField("layer", .type(0)), SchemaField("size", Self.int)], isPartial: false),
            ])
    }

    @Test("types that check their values")
    func checking() {
        #expect(form(Address.self) == .text(.plain))
        #expect(
            form(Letter.self)
                == .record([SchemaField("to", .text(.plain)), SchemaField("year", Self.int)], isPartial: false))
    }

    @Test("what decodes by hand is described as far as it is known, and says so")
    func byHand() {
        #expect(
            form(Lenient.self)
                == .record(
                    [
                        SchemaField("count", Self.int, isOptional: true),
                        SchemaField("other", .text(.plain), isOptional: true),
                    ], isPartial: true))
        guard case .any = form(TextOrNumber.self) else { return #expect(Bool(false), "\(form(TextOrNumber.self))") }
        #expect(
            form(Never2.self)
                == .record(
                    [
                        SchemaField("a", Self.int, isOptional: true),
                        SchemaField("b", .any("it decodes by hand"), isOptional: true),
                    ], isPartial: true))
        // A case for unknown names: any text is accepted.
        #expect(form(Open.self) == .text(.plain))
        #expect(form(Pair.self) == .tuple([Self.int, .text(.plain)]))
        #expect(form([Int: String].self) == .map(.text(.plain)))
    }

    @Test("JSON Schema, with references and examples")
    func jsonSchema() throws {
        let reader = SchemaReader()
        guard case .type(let place) = reader.shape(of: Trip.self) else { return #expect(Bool(false)) }
        let schema = JSONSchema(reader.definitions, roots: [place: "Event"])
        let defined = schema.defined([place])
        #expect(defined.map(\.name) == ["Event", "Trip.Way"])
        let event = try #require(defined.first?.value)
        guard case .array(let cases) = event["oneOf"] else { return #expect(Bool(false)) }
        #expect(
            cases[0].text
                == #"{"type":"object","properties":{"booked":{"type":"object","properties":{"_0":{"type":"string"}},"required":["_0"]}},"required":["booked"],"additionalProperties":false,"examples":[{"booked":{"_0":"text"}}]}"#
        )
        #expect(cases[1].text.contains(##""how":{"$ref":"#/$defs/Trip.Way"}"##))
        #expect(cases[1].text.contains(#""_1":{"type":["number","null"]}"#))
        #expect(defined[1].value.text == #"{"type":"string","enum":["rail","on-foot"]}"#)
        // Each example is an event that the type decodes.
        for known in cases {
            guard case .array(let examples) = known["examples"], let example = examples.first else {
                #expect(Bool(false))
                continue
            }
            #expect(throws: Never.self) { try JSONDecoder().decode(Trip.self, from: Data(example.text.utf8)) }
        }
    }
}

private enum Trip: Codable {
    enum Way: String, Codable { case rail, onFoot = "on-foot" }

    case booked(String)
    case moved(from: UUID, Double?, how: Way)
    case cancelled
    case all([[String: Int]])
}

private struct Stop: Codable {
    enum Grade: Int, Codable { case good = 1, bad = 5 }
    enum CodingKeys: String, CodingKey {
        case name, at, rank, page, note, key, tags, isOpen = "is_open", grade
    }

    var name: String
    var at: Date
    var rank: UInt8
    var page: URL
    var note: String?
    var key: Data
    var tags: Set<String>
    var isOpen: Bool
    var grade: Grade
}

private indirect enum Tree: Codable {
    case node(Tree, [Tree])
    case leaf(Int)
}

private final class Chicken: Codable {
    let egg: Egg?
    let name: String

    init(egg: Egg?, name: String) {
        self.egg = egg
        self.name = name
    }
}

private struct Egg: Codable {
    let layer: Chicken
    let size: Int
}

private struct Address: Codable {
    let text: String

    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
        guard text.contains("@") else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no address"))
        }
    }
}

private struct Letter: Codable {
    let to: Address
    let year: Int
}

private struct Lenient: Decodable {
    enum CodingKeys: CodingKey { case count, other }

    init(from decoder: any Decoder) throws {
        let keys = try decoder.container(keyedBy: CodingKeys.self)
        _ = try? keys.decode(Int.self, forKey: .count)
        _ = try keys.decode(String.self, forKey: .other)
    }
}

private enum TextOrNumber: Decodable {
    case text(String), number(Int)

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let text = try? value.decode(String.self) {
            self = .text(text)
        } else {
            self = .number(try value.decode(Int.self))
        }
    }
}

/// Refuses whatever comes.
private struct Never2: Decodable {
    enum CodingKeys: CodingKey { case a, b }

    init(from decoder: any Decoder) throws {
        let keys = try decoder.container(keyedBy: CodingKeys.self)
        _ = try keys.decode(Int.self, forKey: .a)
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "never"))
    }
}

private enum Open: String, Decodable {
    case a, b, unknown

    init(from decoder: any Decoder) throws {
        self = Open(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }
}

private struct Pair: Decodable {
    init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        _ = try values.decode(Int.self)
        _ = try values.decode(String.self)
    }
}
