import MobiusCodec
import MobiusCoordinator
import MobiusCore
import Testing

// example: struct
struct Visit: FastPayload {
    var address: String
    var status: Int
    var note: String?

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
// end

// example: enum
enum Step: FastPayload {
    case stopped
    case fetched(Visit, after: Double)

    func encode(to writer: inout PayloadWriter) {
        switch self {
        case .stopped:
            writer.writeCase(1)
        case .fetched(let visit, let seconds):
            writer.writeCase(2)
            writer.write(visit, at: 1)
            writer.write(seconds, at: 2)
        }
    }

    init(from reader: inout PayloadReader) throws {
        switch try reader.readCase() {
        case 1: self = .stopped
        case 2: self = .fetched(try reader.read(at: 1), after: try reader.read(at: 2))
        case let number: throw reader.unknownCase(number)
        }
    }
}

enum Mood: String, FastPayload { case calm, angry }
// end

extension Mood: Codable {}

enum Moods: LoopProgram {
    static func initiate() -> First<Mood, Mood> { First(model: .calm) }
    static func update(_ model: Mood, _ event: Mood) -> Next<Mood, Mood> { .next(event) }
}

extension Visit {
    init(_ address: String, _ status: Int) {
        self.address = address
        self.status = status
    }
}

// example: coding
extension Moods: CodedProgram {
    static var coding: ProgramCodec<Moods> { .fast }
}
// end

struct CodingExamples {
    @Test func aStepIsReadBackAndShown() throws {
        let step = Step.fetched(Visit("/a", 200), after: 0.5)
        var scratch = CodingScratch()
        var bytes: [UInt8] = []
        try FastCodec(Step.self).encode(step, into: &bytes, scratch: &scratch)
        #expect(bytes.starts(with: [7, 1, 2, 0x17, 0x15, 2, 0x2f, 0x61, 0x21, 0x90, 0x03, 0, 0x24]))
        #expect(try FastText.json(of: bytes.span.bytes) == #"{"case":2,"1":{"1":"/a","2":200},"2":0.5}"#)
        let read = try FastCodec(Step.self).decode(bytes.span.bytes, scratch: &scratch)
        guard case .fetched(let visit, after: 0.5) = read else {
            Issue.record("\(read)")
            return
        }
        #expect(visit.address == "/a")
    }

    @Test func aProgramSaysItsCoding() {
        #expect(Moods.coding.contentType == "application/vnd.mobius.fast")
        #expect(Mood(rawValue: "calm") == .calm)
    }
}
