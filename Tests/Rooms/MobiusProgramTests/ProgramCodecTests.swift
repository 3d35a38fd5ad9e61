import MobiusCodec
import MobiusCore
import MobiusProgram
import MobiusWire
import Testing

@Suite("The coding that a program chooses")
struct ProgramCodecTests {
    /// Counts, in whatever coding.
    private enum Plain: LoopProgram {
        static func initiate() -> First<Tally, Tally> { First(model: Tally(number: 0)) }
        static func update(_ model: Tally, _ event: Tally) -> Next<Tally, Tally> { .next(event) }
    }

    private enum Quick: CodedProgram {
        static var coding: ProgramCodec<Quick> { .fast }
        static func initiate() -> First<Tally, Tally> { First(model: Tally(number: 0)) }
        static func update(_ model: Tally, _ event: Tally) -> Next<Tally, Tally> { .next(event) }
    }

    private struct Tally: Codable, Equatable, Sendable, FastPayload {
        var number: Int
        var names: Set<String> = []

        init(number: Int) { self.number = number }

        func encode(to writer: inout PayloadWriter) {
            writer.write(number, at: 1)
            writer.write(names, at: 2)
        }

        init(from reader: inout PayloadReader) throws {
            number = try reader.read(at: 1)
            names = try reader.read(at: 2)
        }
    }

    /// Without a conformance to `FastPayload`.
    private struct Slow: Codable, Equatable, Sendable {
        var number = 1
    }

    private let json = "application/json"
    private let fast = "application/vnd.mobius.fast"

    @Test("is JSON unless it says another")
    func chosen() {
        #expect(ProgramCodecs<Plain>().events.kind.contentType == json)
        #expect(ProgramCodecs<Quick>().models.kind.contentType == fast)
    }

    @Test("is one of those that its types have")
    func readable() {
        #expect(ProgramCodecs<Plain>().events.contentTypes == [json, fast])
        #expect(TypedCodec<Slow>.json().contentTypes == [json])
    }

    @Test("does not keep it from reading what was written in another")
    func others() throws {
        let value = Tally(number: 300)
        let codings = [ProgramCodecs<Plain>().events, ProgramCodecs<Quick>().events]
        let written = try codings.map { try $0.encode(value) }
        #expect(written.map(\.kind.contentType) == [json, fast])
        #expect(written[1].bytes == [7, 0x11, 0xd8, 4, 0x28, 5, 0, 0])
        for payload in written {
            for coding in codings {
                #expect(try coding.decode(payload) == value)
                #expect(try coding.encode(value, as: payload.kind.contentType) == payload)
            }
        }
    }

    @Test("gives equal models equal bytes")
    func models() throws {
        var one = Tally(number: 1)
        var other = Tally(number: 1)
        other.names.reserveCapacity(1000)
        for number in 0..<100 {
            one.names.insert("\(number)")
            other.names.insert("\(99 - number)")
        }
        let models = ProgramCodecs<Quick>().models
        #expect(try models.encode(one) == models.encode(other))
        let bytes = try models.encode(one).bytes
        #expect(try models.encode(one, as: fast).bytes == bytes)
    }

    @Test("that it does not have is an error that says so")
    func unknown() throws {
        let coding = TypedCodec<Slow>.json()
        let payload = Payload(kind: PayloadKind(type: coding.kind.type, contentType: fast), bytes: [7, 0])
        let failure = #expect(throws: CodingFailure.self) { try coding.decode(payload) }
        #expect(failure?.reason == "it is application/vnd.mobius.fast, and this program reads application/json")
        let unwritten = #expect(throws: CodingFailure.self) { try coding.encode(Slow(), as: "text/plain") }
        #expect(unwritten?.reason == "it has no form in text/plain")
    }
}
