import FleetTestSupport
import Foundation
import MobiusCodec
import MobiusCore
import MobiusLauncher
import MobiusProgram
import TestTraits
import Testing

/// Two schemas that are compared: the verdict is what decoding really does.
@Suite(.patient)
struct SchemaEvolutionTests {
    /// A program with this model, whose other types are of no interest.
    private enum Holder<Model: Codable & Sendable & Equatable>: LoopProgram {
        typealias Event = Int
        typealias Effect = Int

        // A schema needs no loop.
        static func initiate() -> First<Model, Int> { preconditionFailure("No loop of this program is begun.") }
        static func update(_ model: Model, _ event: Int) -> Next<Model, Int> { .noChange }
    }

    private static func document<Model: Codable & Sendable & Equatable>(_ type: Model.Type) throws -> SchemaDocument {
        try JSONDecoder().decode(SchemaDocument.self, from: Data(ProgramSchema.json(of: Holder<Model>.self)))
    }

    /// Compares two types by their schemas and by decoding samples of each as the other.
    private func check<Old: Codable & Sendable & Equatable, New: Codable & Sendable & Equatable>(
        _ old: [Old], _ new: [New], back: [String] = [], forth: [String] = [],
        _ place: SourceLocation = #_sourceLocation
    ) throws {
        let evolution = SchemaEvolution(from: try Self.document(Old.self), to: try Self.document(New.self))
        #expect(evolution.back.map { "\($0.path): \($0.reason)" } == back, sourceLocation: place)
        #expect(evolution.forth.map { "\($0.path): \($0.reason)" } == forth, sourceLocation: place)
        #expect(evolution.notes.isEmpty, sourceLocation: place)
        #expect(Self.reads(New.self, old) == back.isEmpty, "the new type reads the old one's", sourceLocation: place)
        #expect(Self.reads(Old.self, new) == forth.isEmpty, "the old type reads the new one's", sourceLocation: place)
    }

    private static func reads<Written: Codable & Sendable, Read: Codable & Sendable>(
        _ type: Read.Type, _ values: [Written]
    ) -> Bool {
        values.allSatisfy { value in
            var (bytes, scratch) = ([UInt8](), CodingScratch())
            guard (try? JSONCodec(Written.self).encode(value, into: &bytes, scratch: &scratch)) != nil else {
                return false
            }
            return (try? JSONCodec(type).decode(bytes.span.bytes, scratch: &scratch)) != nil
        }
    }

    private struct One: Codable, Sendable, Equatable { var a = 1 }
    private struct OneText: Codable, Sendable, Equatable { var a = "x" }
    private struct OneDouble: Codable, Sendable, Equatable { var a = 1.5 }
    private struct OneNarrow: Codable, Sendable, Equatable { var a: Int8 = 1 }
    private struct OneOptional: Codable, Sendable, Equatable { var a: Int? }
    private struct Two: Codable, Sendable, Equatable { var a = 1; var b = 2 }
    private struct TwoOptional: Codable, Sendable, Equatable { var a = 1; var b: Int? }
    private struct TwoOptionalText: Codable, Sendable, Equatable { var a = 1; var b: String? = "x" }
    private struct Listed: Codable, Sendable, Equatable { var a = [One()] }
    private struct ListedTwo: Codable, Sendable, Equatable { var a = [Two()] }
    private struct Mapped: Codable, Sendable, Equatable { var a = ["k": One()] }
    private struct MappedTwo: Codable, Sendable, Equatable { var a = ["k": Two()] }
    private enum Few: Codable, Sendable, Equatable { case a, b(Int) }
    private enum More: Codable, Sendable, Equatable { case a, b(Int), c(text: String) }
    private enum Labelled: Codable, Sendable, Equatable { case a, b(number: Int) }
    private enum Longer: Codable, Sendable, Equatable { case a, b(Int, Int?) }
    private enum Names: String, Codable, Sendable, Equatable { case a, b }
    private enum MoreNames: String, Codable, Sendable, Equatable { case a, b, c }
    private struct Name: Codable, Sendable, Equatable { var a = Names.a }
    private struct OtherName: Codable, Sendable, Equatable { var a = MoreNames.c }
    private struct Tree: Codable, Sendable, Equatable { var a = 1; var of: [Tree] = [] }
    private struct OtherTree: Codable, Sendable, Equatable { var a = 1; var b: Int?; var of: [OtherTree] = [] }

    @Test func fields() throws {
        try check([One()], [One()])
        try check([One()], [TwoOptional(b: 2)])
        try check([One()], [Two()], back: ["Model.b: it is missing, and is required"])
        try check([Two()], [One()], forth: ["Model.b: it is missing, and is required"])
        try check([Two()], [TwoOptional()], forth: ["Model.b: it may be missing, and is required"])
        try check([OneOptional()], [One()], back: ["Model.a: it may be missing, and is required"])
        try check(
            [One()], [OneText()], back: ["Model.a: it is an integer, and a string is required"],
            forth: ["Model.a: it is a string, and an integer is required"])
        try check([One()], [OneDouble()], forth: ["Model.a: it may be a fraction, and an integer is required"])
        try check(
            [One(a: 1000)], [OneNarrow()], back: ["Model.a: integers that the other type has do not fit"])
        try check(
            [TwoOptional(b: 1)], [TwoOptionalText()], back: ["Model.b: it is an integer, and a string is required"],
            forth: ["Model.b: it is a string, and an integer is required"])
    }

    @Test func parts() throws {
        try check([Listed()], [ListedTwo()], back: ["Model.a[].b: it is missing, and is required"])
        try check([Mapped()], [MappedTwo()], back: ["Model.a.KEY.b: it is missing, and is required"])
        try check([Tree(of: [Tree()])], [OtherTree(of: [OtherTree()])])
        try check([Name()], [OtherName()], forth: ["Model.a: the value c is not known"])
    }

    @Test func cases() throws {
        try check([Few.a, .b(1)], [More.a, .b(1), .c(text: "x")], forth: ["Model.c: the case is not known"])
        try check([More.c(text: "x")], [Few.a, .b(1)], back: ["Model.c: the case is not known"])
        try check(
            [Few.b(1)], [Labelled.b(number: 1)], back: ["Model.b.number: it is missing, and is required"],
            forth: ["Model.b._0: it is missing, and is required"])
        try check([Few.a, .b(1)], [Longer.a, .b(1, 2)])
    }

    private func schema(_ event: String, effect: String = #"{"type":"integer"}"#) throws -> SchemaDocument {
        let text = #"{"$defs":{"Event":\#(event),"Effect":\#(effect),"Model":{"type":"integer"}}}"#
        return try JSONDecoder().decode(SchemaDocument.self, from: Data(text.utf8))
    }

    @Test func aVersionCoversAChange() throws {
        let (first, second) = (#"{"type":"string"}"#, #"{"type":"integer","x-version":2,"x-oldest":1}"#)
        let covered = SchemaEvolution(from: try schema(first), to: try schema(second))
        #expect(covered.back.isEmpty)
        #expect(covered.forth.map(\.reason) == ["version 2 cannot be read: the versions are 1…1"])
        let later = #"{"type":"integer","x-version":3,"x-oldest":2}"#
        #expect(SchemaEvolution(from: try schema(first), to: try schema(later)).back.map(\.path) == ["Event"])
        #expect(SchemaEvolution(from: try schema(second), to: try schema(later)).back.isEmpty)
        #expect(SchemaEvolution(from: try schema(later), to: try schema(second)).back.count == 1)
        // The same version in another form is no version.
        let same = #"{"type":"string","x-version":2,"x-oldest":1}"#
        #expect(SchemaEvolution(from: try schema(second), to: try schema(same)).back.count == 1)
    }

    @Test func schemasOfAnyFormEnd() throws {
        let endless = SchemaEvolution(
            from: try schema(##"{"$ref":"#/$defs/Event"}"##),
            to: try schema(##"{"$ref":"#/$defs/Effect"}"##, effect: ##"{"$ref":"#/$defs/Event"}"##))
        #expect(endless.back.isEmpty)
        let unknown = SchemaEvolution(from: try schema("{}"), to: try schema(#"{"type":"string"}"#))
        #expect(unknown.back.isEmpty && unknown.notes.map(\.path) == ["Event"])
        for text in [
            "", "[]", "{}", #"{"$defs":{}}"#, #"{"$defs":{"Event":{},"Effect":{}}}"#, #"{"x-kinds":["a"],"$defs":{}}"#,
        ] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(SchemaDocument.self, from: Data(text.utf8)) }
        }
    }

    @Test func theCommandComparesBuilds() async throws {
        let folder = try TestFolder()
        let printed = try TestProcess("orders-coordinator", ["--schema"], in: folder.path)
        #expect(try await printed.end() == .exited(0))
        let text = printed.output.elements.joined()
        // Nothing was opened.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        let older = text.replacing(#""undeliverable""#, with: #""lost""#)
        #expect(older != text)
        for (name, content) in [("new", text), ("old", older), ("none", "[]")] {
            try content.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        }
        func command(_ arguments: String..., code: Int32) async throws -> String {
            let process = try TestProcess("mobius", ["check-evolution"] + arguments, in: folder.path)
            #expect(try await process.end() == .exited(code), "\(process.errors.elements)")
            return (process.output.elements + process.errors.elements).joined(separator: "\n")
        }
        #expect(
            try await command("new", "new", "--rollback", code: 0).contains("and the old one what the new one writes."))
        let refused = try await command("old", "new", code: 1)
        #expect(refused.contains("    order.Event.lost: the case is not known"), "\(refused)")
        #expect(refused.contains("    order.Event.undeliverable: the case is not known"), "\(refused)")
        #expect(try await command("old", "new", "--json", code: 1).contains(#""path":"order.Event.lost""#))
        let piped = try TestProcess("mobius", ["check-evolution", "old", "/dev/stdin"], in: folder.path, input: .pipe)
        try piped.type(all: Array(text.utf8))
        #expect(try await piped.end() == .exited(1))
        for file in ["none", "missing"] { #expect(try await command(file, "new", code: 66).contains(file)) }
    }
}
