import Foundation
import MobiusCodec
import Testing

@Suite("The fast coding of types that change")
struct FastEvolutionTests {
    /// A page as a newer build has it: without the status, with more.
    private struct Newer: FastPayload, Equatable {
        var address = ""
        var note: String?
        var everything = FastEverything()
        var retries = 0

        init() {}

        func encode(to writer: inout PayloadWriter) {
            writer.write(address, at: 1)
            writer.write(note, at: 3)
            writer.write(everything, at: 4)
            writer.write(retries, at: 5)
        }

        init(from reader: inout PayloadReader) throws {
            // In an order of its own.
            retries = try reader.read(at: 5, default: 3)
            note = try reader.read(at: 3)
            everything = try reader.read(at: 4, default: FastEverything())
            address = try reader.read(at: 1)
        }
    }

    /// Asks for nothing.
    private struct Nothing: FastPayload, Equatable {
        init() {}
        func encode(to writer: inout PayloadWriter) {}
        init(from reader: inout PayloadReader) throws {}
    }

    @Test("reads what an older build wrote")
    func older() throws {
        let read = try Fast.value(Fast.bytes(FastPage("/", 1, note: "n")), as: Newer.self)
        #expect(read.address == "/")
        #expect(read.note == "n")
        #expect(read.retries == 3)
        #expect(read.everything == FastEverything())
    }

    @Test("steps over fields of every kind")
    func unknown() throws {
        var newer = Newer()
        newer.address = "/"
        newer.everything.holes = [1, nil]
        newer.everything.tables = [1: ["a": [1]]]
        newer.everything.steps = [.fetched(FastPage("u", 1), after: 2), .stopped]
        newer.everything.uuid = UUID()
        newer.everything.date = .now
        newer.everything.large = .max
        newer.everything.colors = [.red: .high]
        let bytes = try Fast.bytes(newer)
        #expect(try Fast.value(bytes) == newer)
        #expect(try Fast.value(bytes, as: Nothing.self) == Nothing())
        #expect(try Fast.value(Fast.bytes(newer.everything.steps), as: [Nothing].self).count == 2)
        #expect(Fast.reason(bytes, as: FastPage.self) == "decoding FastPage failed: the field 2 is missing")
    }

    @Test("says what is wrong and where, and quotes nothing")
    func errors() throws {
        #expect(
            Fast.reason(try Fast.bytes(["secret": FastPage("secret", 1)]), as: [String: Newer].self)
                .hasPrefix("it is"))
        #expect(
            Fast.reason([7, 0x15, 0, 0x25, 1, 0x73, 0], as: FastPage.self)
                == "decoding FastPage failed at 2: it is a text, not Int")
        #expect(
            Fast.reason([7, 1, 3, 0x18, 7, 2, 1, 1, 0, 1, 9, 0, 0x29, 5, 7, 0, 0], as: FastStep.self)
                == "decoding FastStep failed at 1.1: there is no case 9")
        #expect(
            Fast.reason([8, 5, 1, 1, 0x78], as: [FastColor].self)
                == "decoding Array<FastColor> failed at 0: there is no FastColor with this raw value")
        #expect(Fast.reason([7, 0], as: FastStep.self) == "decoding FastStep failed: the number of a case is missing")
        #expect(
            Fast.reason([7, 1, 1, 0], as: FastPage.self)
                == "decoding FastPage failed: the number of a case stands where none is expected")
        #expect(Fast.reason([1, 2, 3], as: Int.self).contains("there are bytes behind"))
        #expect(Fast.reason([], as: Int.self).contains("end too early"))
    }

    @Test("reads a whole number as any other type that holds it, and a Float as a Double")
    func widening() throws {
        #expect(try Fast.value(Fast.bytes(-128 as Int8), as: Int.self) == -128)
        #expect(try Fast.value(Fast.bytes(200), as: UInt8.self) == 200)
        #expect(try Fast.value(Fast.bytes(UInt64.max), as: Int128.self) == Int128(UInt64.max))
        #expect(try Fast.value(Fast.bytes(Int128(7)), as: UInt128.self) == 7)
        #expect(try Fast.value(Fast.bytes(1.5 as Float), as: Double.self) == 1.5)
        #expect(Fast.reason(try Fast.bytes(-1), as: UInt.self).contains("does not fit"))
        #expect(Fast.reason(try Fast.bytes(256), as: UInt8.self).contains("does not fit"))
        #expect(Fast.reason(try Fast.bytes(UInt64.max), as: Int64.self).contains("does not fit"))
        #expect(Fast.reason(try Fast.bytes(UInt128.max), as: Int64.self).contains("too large"))
        #expect(Fast.reason(try Fast.bytes(1.5), as: Float.self).contains("not Float"))
    }

    /// Makes do without a field that it cannot read.
    private struct Lenient: FastPayload {
        var note: Int?
        var last: Int

        func encode(to writer: inout PayloadWriter) {}

        init(from reader: inout PayloadReader) throws {
            note = try? reader.read(at: 1)
            last = try reader.read(at: 2)
        }
    }

    @Test("goes on after a field that could not be read")
    func lenient() throws {
        let value = try Fast.value([7, 0x18, 7, 1, 1, 9, 0, 0x21, 8, 0], as: Lenient.self)
        #expect(value.note == nil)
        #expect(value.last == 4)
        #expect(try Fast.value([8, 7, 1, 0x15, 1, 1, 0x21, 8, 0], as: [Lenient].self).first?.last == 4)
    }
}
