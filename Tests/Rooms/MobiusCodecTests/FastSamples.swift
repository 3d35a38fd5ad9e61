import Foundation
import MobiusCodec

/// A struct, conforming by hand.
struct FastPage: FastPayload, Codable, Equatable, Sendable {
    var address: String
    var status: Int
    var note: String?

    init(_ address: String, _ status: Int, note: String? = nil) {
        (self.address, self.status, self.note) = (address, status, note)
    }

    func encode(to writer: inout PayloadWriter) {
        writer.write(address, at: 1)
        writer.write(status, at: 2)
        writer.write(note, at: 3)
    }

    init(from reader: inout PayloadReader) throws {
        address = try reader.read(at: 1)
        status = try reader.read(at: 2)
        note = try reader.read(at: 3)
    }
}

/// An enum with associated values, conforming by hand; it may hold itself.
indirect enum FastStep: FastPayload, Codable, Equatable, Sendable {
    case stopped
    case fetched(FastPage, after: Double)
    case all([FastStep], named: [String: FastStep])

    func encode(to writer: inout PayloadWriter) {
        switch self {
        case .stopped: writer.writeCase(1)
        case .fetched(let page, let seconds):
            writer.writeCase(2)
            writer.write(page, at: 1)
            writer.write(seconds, at: 2)
        case .all(let steps, let named):
            writer.writeCase(3)
            writer.write(steps, at: 1)
            writer.write(named, at: 2)
        }
    }

    init(from reader: inout PayloadReader) throws {
        switch try reader.readCase() {
        case 1: self = .stopped
        case 2: self = .fetched(try reader.read(at: 1), after: try reader.read(at: 2))
        case 3: self = .all(try reader.read(at: 1), named: try reader.read(at: 2))
        case let number: throw reader.unknownCase(number)
        }
    }
}

enum FastColor: String, FastPayload, Codable { case red, green }
enum FastLevel: UInt8, FastPayload, Codable { case low = 1, high = 200 }

/// All types that conform by themselves, and field numbers of one, two and five bytes.
struct FastEverything: FastPayload, Codable, Equatable, Sendable {
    var signed: [Int64] = []
    var small: Int8?
    var wide: Int128 = 0
    var large: UInt64?
    var widest: UInt128?
    var flag = false
    var flags: Set<Bool> = []
    var double: Double?
    var float: Float = 0
    var text = ""
    var data = Data()
    var bytes: [UInt8]?
    var date: Date?
    var uuid: UUID?
    var url: URL?
    var decimal: Decimal?
    var duration: Duration?
    var colors: [FastColor: FastLevel] = [:]
    var twice: Int??
    var holes: [Int?] = []
    var tables: [Int: [String: [Double]]] = [:]
    var steps: [FastStep] = []

    init() {}

    func encode(to writer: inout PayloadWriter) {
        writer.write(signed, at: 1)
        writer.write(small, at: 2)
        writer.write(wide, at: 3)
        writer.write(large, at: 4)
        writer.write(widest, at: 5)
        writer.write(flag, at: 6)
        writer.write(flags, at: 7)
        writer.write(double, at: 8)
        writer.write(float, at: 9)
        writer.write(text, at: 10)
        writer.write(data, at: 11)
        writer.write(bytes, at: 12)
        writer.write(date, at: 13)
        writer.write(uuid, at: 14)
        writer.write(url, at: 15)
        writer.write(decimal, at: 16)
        writer.write(duration, at: 17)
        writer.write(colors, at: 18)
        writer.write(twice, at: 19)
        writer.write(holes, at: 1000)
        writer.write(tables, at: 100_000)
        writer.write(steps, at: 0x0fff_ffff)
    }

    init(from reader: inout PayloadReader) throws {
        signed = try reader.read(at: 1)
        small = try reader.read(at: 2)
        wide = try reader.read(at: 3)
        large = try reader.read(at: 4)
        widest = try reader.read(at: 5)
        flag = try reader.read(at: 6)
        flags = try reader.read(at: 7)
        double = try reader.read(at: 8)
        float = try reader.read(at: 9)
        text = try reader.read(at: 10)
        data = try reader.read(at: 11)
        bytes = try reader.read(at: 12)
        date = try reader.read(at: 13)
        uuid = try reader.read(at: 14)
        url = try reader.read(at: 15)
        decimal = try reader.read(at: 16)
        duration = try reader.read(at: 17)
        colors = try reader.read(at: 18)
        twice = try reader.read(at: 19)
        holes = try reader.read(at: 1000)
        tables = try reader.read(at: 100_000)
        steps = try reader.read(at: 0x0fff_ffff)
    }
}

/// What tests do with a coding: bytes of a value, and back.
enum Fast {
    static func bytes<Value: FastPayload>(_ value: Value, deterministic: Bool = false) throws -> [UInt8] {
        var scratch = CodingScratch()
        var buffer: [UInt8] = []
        try FastCodec(Value.self, deterministic: deterministic).encode(value, into: &buffer, scratch: &scratch)
        return buffer
    }

    static func value<Value: FastPayload>(_ bytes: [UInt8], as type: Value.Type = Value.self) throws -> Value {
        var scratch = CodingScratch()
        return try FastCodec(Value.self).decode(bytes.span.bytes, scratch: &scratch)
    }

    static func reason<Value: FastPayload>(_ bytes: [UInt8], as type: Value.Type) -> String {
        do {
            return "it is \(try value(bytes, as: Value.self))"
        } catch {
            return "\(error)"
        }
    }
}
