import Foundation
import MobiusCodec
import Testing

@Suite("What tells payloads apart")
struct FingerprintTests {
    private func hash(_ json: String) -> UInt64 {
        PayloadFingerprint.of(Array(json.utf8), contentType: "application/json")
    }

    @Test(
        "white space and the order of members and elements do not count",
        arguments: [
            (#"{"a":1,"b":[1,2,{"c":null}]}"#, "{ \"b\" : [{\"c\":null}, 2, 1],\n \"a\":1 }"),
            ("[]", "[ ]"), (#"{"a":{}}"#, #"{"a": { }}"#), ("true", " true "),
        ])
    func equal(_ one: String, _ other: String) {
        #expect(hash(one) == hash(other))
    }

    @Test("everything else counts")
    func different() {
        let all = [
            #"{"from":"a","to":"b"}"#, #"{"from":"b","to":"a"}"#, #"{"from":"a"}"#, "[1,2]", "[1,1,2]", "[[1],2]",
            "[[1,2]]", "[]", "{}", "null", "true", "false", "0", "1", "10", #""1""#, #""""#, #""12345678""#,
            #""123456789""#, #""123456780""#, #"{"a":[]}"#, #"{"a":{}}"#, #"{"a":null}"#, "[null]", "[null,null]", "",
            "x", "{",
        ]
        for (place, one) in all.enumerated() {
            for other in all[(place + 1)...] { #expect(hash(one) != hash(other), "\(one) \(other)") }
        }
    }

    @Test("it is the same in all builds, because journals keep it")
    func stable() {
        #expect(hash(#"{"guestArrived":{"_0":"Ada"}}"#) == 0x68F9E0A336FD5835)
    }

    private struct Order: Codable, Sendable {
        var counts: [String: Int]
        var tags: Set<String>
        var price: Double
    }

    @Test("a value is the same however its dictionaries and sets are ordered")
    func unordered() throws {
        // Another capacity, and so another order.
        var (one, other) = ([String: Int](), [String: Int](minimumCapacity: 5000))
        var (tags, others) = (Set<String>(), Set<String>(minimumCapacity: 5000))
        for number in 0..<40 {
            (one["k\(number)"], other["k\(39 - number)"]) = (number, 39 - number)
            tags.insert("t\(number)")
            others.insert("t\(39 - number)")
        }
        let orders = [Order(counts: one, tags: tags, price: 1.5), Order(counts: other, tags: others, price: 1.5)]
        var scratch = CodingScratch()
        let changed = Order(counts: one, tags: tags, price: 2.5)
        func hash(_ order: Order) throws -> UInt64 {
            var bytes: [UInt8] = []
            try JSONCodec(Order.self).encode(order, into: &bytes, scratch: &scratch)
            return PayloadFingerprint.of(bytes, contentType: "application/json")
        }
        #expect(try hash(orders[0]) == hash(orders[1]))
        #expect(try hash(orders[0]) != hash(changed))
    }
}
