import MobiusCodec
import MobiusCore
import MobiusProgram

/// A program that answers each event with the next effect; effect and event are about 100 bytes of JSON each.
protocol FetchProgram: InPlaceLoopProgram, CodedProgram
where Model == FetchModel, Event == FetchEvent, Effect == FetchEffect {}

enum JSONFetch: FetchProgram {
    static let coding = ProgramCodec<JSONFetch>.json
}

enum FastFetch: FetchProgram, FleetProgram {
    static let coding = ProgramCodec<FastFetch>.fast
    static let kind: LoopKind = "main"
}

/// Programs beside it that have no loops, each with a kind of its own.
enum OtherFetch<Name>: FetchProgram, FleetProgram {
    static var coding: ProgramCodec<OtherFetch<Name>> { .fast }
    static var kind: LoopKind { LoopKind(stringLiteral: "\(Name.self)") }
}

extension OtherFetch<Never> {
    static let programs = Programs {
        FastFetch.self
        OtherFetch<Int8>.self
        OtherFetch<Int16>.self
        OtherFetch<Int32>.self
        OtherFetch<Int64>.self
        OtherFetch<UInt8>.self
        OtherFetch<UInt16>.self
        OtherFetch<UInt32>.self
        OtherFetch<UInt64>.self
        OtherFetch<Int>.self
    }
}

extension FetchProgram {
    static func initiate() -> First<FetchModel, FetchEffect> {
        First(model: FetchModel(), effects: (0..<EffectWork.window).map(FetchEffect.numbered))
    }

    static func update(_ model: inout FetchModel, _ event: FetchEvent) -> Change<FetchEffect> {
        switch event {
        case .fetched:
            model.answered += 1
            return .next(effects: [.numbered(model.answered)])
        case .failed(let reason): fatalError("An effect failed: \(reason)")
        }
    }

    static var routes: EffectRouter<FetchEffect, FetchEvent> {
        EffectRouter().routeCase(FetchEffect.fetch).toWorkers("pool") { (_: (String, Int), failure) in
            .failed(reason: "\(failure)")
        }
    }

    static var handlers: EffectRouter<FetchEffect, FetchEvent> {
        EffectRouter().routeCase(FetchEffect.fetch).toEvent { _, attempt in
            .fetched(etag: "0123456789abcdef0123456789abcdef", status: 200, answer: attempt + 1, next: "none")
        }
    }
}

struct FetchModel: Codable, FastPayload {
    var answered = 0

    init() {}

    init(from reader: inout PayloadReader) throws { answered = try reader.read(at: 1) }

    func encode(to writer: inout PayloadWriter) { writer.write(answered, at: 1) }
}

enum FetchEvent: Codable, FastPayload {
    case fetched(etag: String, status: Int, answer: Int, next: String)
    case failed(reason: String)

    func encode(to writer: inout PayloadWriter) {
        switch self {
        case .fetched(let etag, let status, let answer, let next):
            writer.writeCase(1)
            writer.write(etag, at: 1)
            writer.write(status, at: 2)
            writer.write(answer, at: 3)
            writer.write(next, at: 4)
        case .failed(let reason):
            writer.writeCase(2)
            writer.write(reason, at: 1)
        }
    }

    init(from reader: inout PayloadReader) throws {
        switch try reader.readCase() {
        case 1:
            self = .fetched(
                etag: try reader.read(at: 1), status: try reader.read(at: 2), answer: try reader.read(at: 3),
                next: try reader.read(at: 4))
        case 2: self = .failed(reason: try reader.read(at: 1))
        case let number: throw reader.unknownCase(number)
        }
    }
}

enum FetchEffect: Codable, FastPayload {
    case fetch(url: String, attempt: Int)

    static func numbered(_ number: Int) -> FetchEffect {
        .fetch(url: "https://example.com/api/v1/items/0123456789/detail?lang=en", attempt: 100_000_000 + number)
    }

    func encode(to writer: inout PayloadWriter) {
        switch self {
        case .fetch(let url, let attempt):
            writer.writeCase(1)
            writer.write(url, at: 1)
            writer.write(attempt, at: 2)
        }
    }

    init(from reader: inout PayloadReader) throws {
        switch try reader.readCase() {
        case 1: self = .fetch(url: try reader.read(at: 1), attempt: try reader.read(at: 2))
        case let number: throw reader.unknownCase(number)
        }
    }
}
