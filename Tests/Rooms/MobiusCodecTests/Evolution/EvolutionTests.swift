import MobiusCodec
import Testing

/// What becomes of what is written when a type changes: the table of the page ChangingTypes, line by line.
@Suite("Types that change")
struct EvolutionTests {
    /// What a coding makes of bytes of one type when it reads another: `reads`, or `fails`.
    private struct Result: Equatable, CustomStringConvertible {
        /// The new build, of what the old one wrote.
        let back: String
        /// The old build, of what the new one writes.
        let forth: String

        var description: String { "\(back)/\(forth)" }
    }

    private static let reads = "reads"
    private static let fails = "fails"

    private func outcome<Old: Codable & FastPayload, New: Codable & FastPayload>(
        _ coding: String, _ old: Old, _ new: New
    ) throws -> Result {
        Result(
            back: try outcome(coding, old, as: New.self), forth: try outcome(coding, new, as: Old.self))
    }

    private func outcome<Written: Codable & FastPayload, Read: Codable & FastPayload>(
        _ coding: String, _ value: Written, as type: Read.Type
    ) throws -> String {
        let written = try #require(PayloadCodecs(Written.self)["application/\(coding)"])
        let read = try #require(PayloadCodecs(Read.self)["application/\(coding)"])
        var scratch = CodingScratch()
        var bytes: [UInt8] = []
        try written.encode(value, into: &bytes, scratch: &scratch)
        return (try? read.decode(bytes.span.bytes, scratch: &scratch)) == nil ? Self.fails : Self.reads
    }

    private func expect<Old: Codable & FastPayload, New: Codable & FastPayload>(
        _ old: Old, _ new: New, json: String, fast: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for (coding, expected) in [("json", json), ("vnd.mobius.fast", fast)] {
            let outcome = try outcome(coding, old, new)
            #expect("\(outcome)" == expected, "\(coding)", sourceLocation: sourceLocation)
        }
    }

    private let first = Evolving.First(id: 100, name: "n")

    @Test("fields")
    func fields() throws {
        try expect(
            first, Evolving.WithOptional(id: 1, name: "n", extra: 3), json: "reads/reads",
            fast: "reads/reads")
        try expect(
            first, Evolving.WithRequired(id: 1, name: "n", extra: 3), json: "fails/reads",
            fast: "fails/reads")
        try expect(
            first, Evolving.WithDefault(id: 1, name: "n", extra: 3), json: "fails/reads",
            fast: "reads/reads")
        try expect(
            first, Evolving.Renamed(id: 1, title: "n"), json: "fails/fails", fast: "reads/reads")
        try expect(first, Evolving.Shorter(id: 1), json: "reads/fails", fast: "reads/fails")
        try expect(
            first, Evolving.Reordered(name: "n", id: 1), json: "reads/reads", fast: "reads/reads")
        try expect(
            first, Evolving.Lenient(id: 1, name: nil), json: "reads/fails", fast: "reads/fails")
    }

    @Test("types of fields")
    func types() throws {
        try expect(
            first, Evolving.Narrow(id: 1, name: "n"), json: "reads/reads", fast: "reads/reads")
        try expect(
            Evolving.First(id: 1000, name: "n"), Evolving.Narrow(id: 1, name: "n"), json: "fails/reads",
            fast: "fails/reads")
        try expect(
            first, Evolving.Fractional(id: 1.5, name: "n"), json: "reads/fails",
            fast: "fails/fails")
        try expect(
            first, Evolving.Textual(id: "1", name: "n"), json: "fails/fails", fast: "fails/fails")
    }

    @Test("cases and their values")
    func cases() throws {
        let go = Evolving.Deed.go(far: 3)
        try expect(go, Evolving.MoreCases.go(far: 1), json: "reads/reads", fast: "reads/reads")
        try expect(go, Evolving.MoreCases.wait, json: "reads/fails", fast: "reads/fails")
        try expect(
            Evolving.Deed.stop, Evolving.FewerCases.stop, json: "reads/reads", fast: "reads/reads")
        try expect(go, Evolving.FewerCases.stop, json: "fails/reads", fast: "fails/reads")
        try expect(go, Evolving.RenamedCase.walk(far: 1), json: "fails/fails", fast: "reads/reads")
        try expect(
            go, Evolving.RenamedLabel.go(steps: 1), json: "fails/fails", fast: "reads/reads")
        try expect(
            go, Evolving.MoreValues.go(far: 1, fast: true), json: "reads/reads",
            fast: "reads/reads")
    }

    /// What the first builds wrote: these bytes are in journals, whatever changes here.
    @Test("what was written once is read for good")
    func golden() throws {
        let golden: [(coding: String, first: String, deed: String)] = [
            ("json", "7b226964223a3130302c226e616d65223a226e227d", "7b22676f223a7b22666172223a337d7d"),
            ("vnd.mobius.fast", "0711c80125016e00", "070102110600"),
        ]
        for each in golden {
            #expect(try hex(first, each.coding) == each.first)
            #expect(try hex(Evolving.Deed.go(far: 3), each.coding) == each.deed)
        }
    }

    private func hex<Value: Codable & FastPayload>(_ value: Value, _ coding: String) throws -> String {
        var scratch = CodingScratch()
        var bytes: [UInt8] = []
        try #require(PayloadCodecs(Value.self)["application/\(coding)"])
            .encode(value, into: &bytes, scratch: &scratch)
        return bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
    }
}
