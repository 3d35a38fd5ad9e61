import Foundation
import MobiusCodec
import TestTraits
import Testing

@Suite("The fast coding", .ownThread)
struct FastCodecTests {
    private func roundTrip<Value: FastPayload & Equatable>(
        _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for deterministic in [false, true] {
            let bytes = try Fast.bytes(value, deterministic: deterministic)
            #expect(try Fast.value(bytes) == value, sourceLocation: sourceLocation)
        }
    }

    @Test("lays bytes out as its documentation says")
    func golden() throws {
        #expect(try Fast.bytes(FastPage("/a", 200)) == [7, 0x15, 2, 0x2f, 0x61, 0x21, 0x90, 0x03, 0])
        #expect(try Fast.bytes(FastStep.stopped) == [7, 1, 1, 0])
        #expect(
            try Fast.bytes(FastStep.fetched(FastPage("", -1, note: "n"), after: 1))
                == [7, 1, 2, 0x17, 0x15, 0, 0x21, 1, 0x35, 1, 0x6e, 0, 0x24, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0])
        #expect(try Fast.bytes(300 as UInt16) == [0, 0xac, 0x02])
        #expect(try Fast.bytes(-2) == [1, 3])
        #expect(try Fast.bytes(true) == [2, 1])
        #expect(try Fast.bytes(1 as Float) == [3, 0, 0, 0x80, 0x3f])
        #expect(try Fast.bytes("é") == [5, 2, 0xc3, 0xa9])
        #expect(try Fast.bytes([1, 2] as [UInt8]) == [6, 2, 1, 2])
        #expect(try Fast.bytes(Data([1, 2])) == [6, 2, 1, 2])
        #expect(try Fast.bytes([1, -1]) == [8, 1, 2, 2, 1])
        #expect(try Fast.bytes([1: true]) == [9, 1, 2, 1, 2, 1])
        #expect(try Fast.bytes(Date(timeIntervalSinceReferenceDate: 1)) == [10, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f])
        let uuid = try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))
        #expect(try Fast.bytes(uuid) == [11] + Array(0..<16))
        #expect(try Fast.bytes([nil, 1] as [Int?]) == [8, 7, 2, 0, 0x11, 2, 0])
        #expect(try Fast.bytes(FastColor.red) == [5, 3, 0x72, 0x65, 0x64])
    }

    @Test("reads back integers at every limit")
    func integers() throws {
        func limits<Integer: FixedWidthInteger & FastPayload>(_ type: Integer.Type) throws {
            for value in [Integer.min, .max, 0, 1, .max >> 1, .min >> 1, 63, 64, 127] { try roundTrip(value) }
            for bits in 0..<Integer.bitWidth { try roundTrip(1 << bits as Integer) }
        }
        try limits(Int.self)
        try limits(Int8.self)
        try limits(Int16.self)
        try limits(Int32.self)
        try limits(Int64.self)
        try limits(Int128.self)
        try limits(UInt.self)
        try limits(UInt8.self)
        try limits(UInt16.self)
        try limits(UInt32.self)
        try limits(UInt64.self)
        try limits(UInt128.self)
    }

    @Test("keeps all bits of floating-point numbers and dates")
    func bits() throws {
        for bits in [0, 1 << 63, 0x7ff0_0000_0000_0000, 0x7ff8_0000_0000_0001, 0x3ff0_0000_0000_0001, 1] as [UInt64] {
            let double = Double(bitPattern: bits)
            #expect(try Fast.value(Fast.bytes(double), as: Double.self).bitPattern == bits)
            let date = Date(timeIntervalSinceReferenceDate: double)
            let read = try Fast.value(Fast.bytes(date), as: Date.self)
            #expect(read.timeIntervalSinceReferenceDate.bitPattern == bits)
        }
        #expect(try Fast.value(Fast.bytes(Float.signalingNaN), as: Float.self).isNaN)
    }

    @Test("reads back texts of any length")
    func texts() throws {
        for text in ["", "a", "\0", "é", "😀", "e\u{301}", String(repeating: "long ", count: 1000)] {
            try roundTrip(text)
            try roundTrip([text, text])
            try roundTrip([text: text])
        }
        try roundTrip(Data((0...255).map { UInt8($0) }))
        try roundTrip(Array(0...255) as [UInt8])
    }

    @Test("reads back what contains everything")
    func everything() throws {
        try roundTrip(FastEverything())
        var value = FastEverything()
        value.signed = [.min, -1, 0, 1, .max]
        value.small = -128
        value.wide = .min
        value.large = .max
        value.widest = .max
        value.flag = true
        value.flags = [true, false]
        value.double = .infinity
        value.float = -.leastNonzeroMagnitude
        value.text = "Ada/Ü"
        value.data = Data([0, 255])
        value.bytes = []
        value.date = Date(timeIntervalSince1970: 1e9 + 0.1)
        value.uuid = UUID()
        value.url = URL(string: "https://example.com/a%20b?c#d")
        value.decimal = Decimal(string: "-1234567890.0123456789")
        value.duration = .seconds(-3) + .nanoseconds(1)
        value.colors = [.red: .high, .green: .low]
        value.twice = .some(nil)
        value.holes = [1, nil, 3]
        value.tables = [-1: ["a": [1, 2]], 1: [:]]
        value.steps = [.all([.stopped], named: ["x": .fetched(FastPage("u", 1), after: -0.0)])]
        try roundTrip(value)
        value.twice = .some(.some(3))
        try roundTrip(value)
    }

    @Test("tells no value from a value that is nothing")
    func optionals() throws {
        for value in [nil, .some(nil), .some(.some(nil)), 0] as [Int???] { try roundTrip(value) }
    }

    @Test("gives equal bytes for equal values when that is asked for")
    func deterministic() throws {
        let names = (0..<200).map { "name \($0)" }
        var first: [String: Set<String>] = [:]
        var second: [String: Set<String>] = [:]
        second.reserveCapacity(4096)
        for name in names { first[name] = Set(names) }
        for name in names.reversed() { second[name] = Set(names.reversed()) }
        #expect(try Fast.bytes(first, deterministic: true) == Fast.bytes(second, deterministic: true))
        #expect(try Fast.bytes([2: 1, 1: 2], deterministic: true) == [9, 1, 1, 2, 2, 4, 4, 2])
        try roundTrip(first)
    }

    @Test("appends to the buffer, with a scratch that served others")
    func appends() throws {
        var scratch = CodingScratch()
        let coding = FastCodec(FastPage.self)
        #expect(coding.contentType == "application/vnd.mobius.fast")
        var buffer: [UInt8] = [9]
        for length in [3, 3_000_000, 5] {
            try FastCodec(String.self).encode(String(repeating: "x", count: length), into: &buffer, scratch: &scratch)
            buffer.removeLast(buffer.count - 1)
            try coding.encode(FastPage("/", 1), into: &buffer, scratch: &scratch)
            #expect(buffer == [9] + (try Fast.bytes(FastPage("/", 1))))
            buffer.removeLast(buffer.count - 1)
        }
    }

    /// Writes what no conformance should.
    private struct Wrong: FastPayload {
        enum Deed: CaseIterable {
            case backwards, twice, zero, negative, large, caseZero, caseLarge, lateCase, twoCases
        }

        let deed: Deed

        init(_ deed: Deed) { self.deed = deed }
        init(from reader: inout PayloadReader) throws { deed = .twice }

        func encode(to writer: inout PayloadWriter) {
            switch deed {
            case .backwards: for number in [2, 1] { writer.write(1, at: number) }
            case .twice: for number in [1, 1] { writer.write(1, at: number) }
            case .zero: writer.write(1, at: 0)
            case .negative: writer.write(1, at: -5)
            case .large: writer.write(1, at: 0x1000_0000)
            case .caseZero: writer.writeCase(0)
            case .caseLarge: writer.writeCase(0x1000_0000)
            case .lateCase:
                writer.write(1, at: 1)
                writer.writeCase(1)
            case .twoCases: for number in [1, 2] { writer.writeCase(number) }
            }
        }

        var reason: String {
            switch deed {
            case .backwards, .twice: "the fields are not written in ascending order of their numbers"
            case .zero, .negative, .large, .caseZero, .caseLarge:
                "the number of a field or case is not from 1 to 268435455"
            case .lateCase, .twoCases: "the number of a case is not written first"
            }
        }
    }

    @Test("refuses what a conformance does wrong, and leaves the buffer alone", arguments: Wrong.Deed.allCases)
    private func faults(_ deed: Wrong.Deed) {
        var scratch = CodingScratch()
        var buffer: [UInt8] = [1]
        let failure = #expect(throws: CodingFailure.self) {
            try FastCodec(Wrong.self).encode(Wrong(deed), into: &buffer, scratch: &scratch)
        }
        #expect(failure?.reason == Wrong(deed).reason)
        #expect(buffer == [1])
    }

    @Test("refuses values that lie too deep, both ways")
    func depth() throws {
        var deep = FastStep.stopped
        for _ in 0..<255 { deep = .all([deep], named: [:]) }
        try roundTrip(deep)
        for _ in 0..<10_000 { deep = .all([deep], named: [:]) }
        let failure = #expect(throws: CodingFailure.self) { try Fast.bytes(deep) }
        #expect(failure?.reason == "it is nested too deeply")
        let record: [UInt8] = [7] + Array(repeating: [1, 3, 0x18, 7, 1], count: 100_000).flatMap { $0 }
        #expect(Fast.reason(record, as: FastStep.self).hasSuffix("it is nested too deeply"))
        let records: [UInt8] = [7, 0x15, 0, 0x21, 0] + Array(repeating: 0x47, count: 100_000)
        #expect(Fast.reason(records, as: FastPage.self).hasSuffix("it is nested too deeply"))
        let lists: [UInt8] = [7, 0x15, 0, 0x21, 0, 0x48] + Array(repeating: [8, 1], count: 100_000).flatMap { $0 }
        #expect(Fast.reason(lists, as: FastPage.self).hasSuffix("it is nested too deeply"))
    }
}
