import Foundation
import MobiusCodec
import Testing

/// What an error says of names that are wrong.
@Suite("Explanations of wrong names")
struct ExplanationTests {
    enum Event: Codable, Sendable, Equatable {
        case issued(Invoice)
        case paid(id: Int)
        case cancelled
    }

    struct Invoice: Codable, Sendable, Equatable {
        var amount: Int
        var method: Method
    }

    enum Method: Codable, Sendable, Equatable {
        case card, transfer
    }

    enum Only: Codable, Sendable {
        case this
    }

    private func reason<Value: Codable & Sendable>(_ text: String, as type: Value.Type = Event.self) -> String {
        var scratch = CodingScratch()
        // Twice, because decoders keep what they learn of keys.
        for _ in 1...2 {
            do throws(CodingFailure) {
                _ = try JSONCodec(Value.self).decode(Array(text.utf8).span.bytes, scratch: &scratch)
                return "read"
            } catch {
                if error.description.isEmpty { return "" }
            }
        }
        do throws(CodingFailure) {
            _ = try JSONCodec(Value.self).decode(Array(text.utf8).span.bytes, scratch: &scratch)
            return "read"
        } catch {
            return error.description
        }
    }

    private struct Measures: Codable, Sendable {
        var small: Int8?
        var number: Double?
        var float: Float?
        var amount: Decimal?
        var text: String?
        var names: [String: Int]?
        var site: URL?
        var bytes: Data?
        var list: [UInt16]?
        var mood: Mood?
        var levels: [String: Level]?
        var code: Code?
    }

    private enum Mood: String, Codable { case calm, angry = "very angry" }
    private enum Level: Int, Codable { case low = 1, high = 9 }

    /// No enum: nobody knows all of its values.
    private struct Code: RawRepresentable, Codable {
        let rawValue: Int
        init?(rawValue: Int) { return nil }
    }

    @Test(
        "a number out of range and a text that is none: the place and the reason",
        arguments: [
            (#"{"small":300}"#, "small: the number does not fit Int8"),
            (#"{"small":1.5}"#, "small: the number does not fit Int8"),
            (#"{"list":[1,70000]}"#, "list.Index 1: the number does not fit UInt16"),
            (#"{"number":1e999}"#, "number: the number does not fit Double"),
            (#"{"float":1e39}"#, "float: the number does not fit Float"),
            (#"{"amount":1e999}"#, "amount: the number does not fit Decimal"),
            (#"{"text":"secret\ud800"}"#, "text: its text is not valid Unicode"),
            (#"{"names":{"a\udc00":1}}"#, "names: a key in it is not valid Unicode"),
            (#"{"site":""}"#, "site: its text is no URL"),
            (#"{"bytes":"$"}"#, "bytes: its text is not Base64"),
            (#"{"mood":"happy"}"#, "mood: it is none of calm, very angry"),
            (#"{"levels":{"a":1,"b":2}}"#, "levels.b: it is none of 1, 9"),
            (#"{"code":2}"#, "code: it is not valid"),
        ])
    func values(_ text: String, _ words: String) {
        #expect(reason(text, as: Measures.self) == "decoding Measures failed at \(words)")
    }

    @Test("a type's own reason is not taken for the one of a value before it")
    func caughtBefore() {
        struct Lenient: Codable, Sendable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                _ = try? container.decode(Int8.self)
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "mine")
            }
        }
        #expect(reason("300", as: Lenient.self) == "decoding Lenient failed: it is not valid")
    }

    @Test("an unknown case: the nearest one, all cases, and the place")
    func cases() {
        let cases = "The cases are issued, paid, cancelled"
        #expect(reason(#"{"isued":{}}"#) == "decoding Event failed at isued: did you mean issued? \(cases)")
        #expect(reason(#"{"refunded":{}}"#) == "decoding Event failed at refunded: this is no case. \(cases)")
        #expect(reason("{}") == "decoding Event failed: a case is missing; the cases are issued, paid, cancelled")
        #expect(
            reason(#"{"paid":{"id":1},"cancelled":{}}"#)
                == "decoding Event failed: it has the keys paid, cancelled, but names one case only")
        #expect(
            reason(#"{"issued":{"_0":{"amount":1,"method":{"crad":{}}}}}"#)
                == "decoding Event failed at issued._0.method.crad: did you mean card? The cases are card, transfer")
        #expect(reason(#"{"thus":{}}"#, as: Only.self).hasSuffix("at thus: did you mean this? The cases are this"))
        let long = String(repeating: "x", count: 5000)
        #expect(reason("{\"\(long)\":{}}").count < 200)
    }

    @Test("a missing key that was mistyped")
    func keys() {
        #expect(
            reason(#"{"issued":{"_0":{"amuont":1,"method":{"card":{}}}}}"#)
                == "decoding Event failed at issued._0.amuont: did you mean amount? The key amount is missing")
        #expect(reason(#"{"paid":{}}"#) == "decoding Event failed at paid: the key id is missing")
    }

    @Test("objects and arrays have their names")
    func containers() {
        #expect(reason(#""issued""#) == "decoding Event failed: it is no object")
        #expect(reason("{}", as: [Int].self).hasSuffix("it is no array"))
        #expect(reason(#"{"issued":{"_0":{"amount":1,"method":{"card":{}}}}}"#) == "read")
        // Dictionaries have keys of any name.
        #expect(
            reason(#"{"a":{"x":1},"b":{"x":"one"}}"#, as: [String: [String: Int]].self).hasSuffix(
                "at b.x: it is no Int"))
    }
}
