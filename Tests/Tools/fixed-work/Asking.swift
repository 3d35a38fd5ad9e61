import MobiusCodec
import MobiusCore
import MobiusProgram

/// A loop that asks another one of its coordinator, hears the answer, and asks again.
///
/// The other loop answers its sender, or sends an event back: that is what a loop does that cannot ask.
protocol AskingProgram: InPlaceLoopProgram, CodedProgram
where Model == FetchModel, Event == AskEvent, Effect == AskEffect {
    static var routes: EffectRouter<AskEffect, AskEvent> { get }
}

extension AskingProgram {
    static func initiate() -> First<FetchModel, AskEffect> {
        First(model: FetchModel(), effects: (0..<EffectWork.window).map { .ask($0) })
    }

    static func update(_ model: inout FetchModel, _ event: AskEvent) -> Change<AskEffect> {
        switch event {
        case .asked(let number): return .next(effects: [.answer(number)])
        case .answered(let number):
            model.answered += 1
            return .next(effects: [.ask(number)])
        }
    }
}

enum Asking: AskingProgram {
    static let coding = ProgramCodec<Asking>.fast
    static let routes = EffectRouter<AskEffect, AskEvent>()
        .routeCase(AskEffect.ask).asks { number in
            (loop: "other", event: .asked(number))
        } answer: { number, answer in
            heard(number, answer)
        }
        .routeCase(AskEffect.answer).toSender { number in number }

    private static func heard(_ number: Int, _ answer: LoopAnswer<Int>) -> AskEvent {
        guard case .answer(number) = answer else { fatalError("A loop was told \(answer).") }
        return .answered(number)
    }
}

enum Sending: AskingProgram {
    static let coding = ProgramCodec<Sending>.fast
    static let routes = EffectRouter<AskEffect, AskEvent>()
        .routeCase(AskEffect.ask).toLoop { number in (loop: "other", event: .asked(number)) }
        .routeCase(AskEffect.answer).toLoop { number in (loop: "main", event: .answered(number)) }
}

enum AskEvent: Codable, FastPayload {
    case asked(Int)
    case answered(Int)

    func encode(to writer: inout PayloadWriter) {
        switch self {
        case .asked(let number):
            writer.writeCase(1)
            writer.write(number, at: 1)
        case .answered(let number):
            writer.writeCase(2)
            writer.write(number, at: 1)
        }
    }

    init(from reader: inout PayloadReader) throws {
        switch try reader.readCase() {
        case 1: self = .asked(try reader.read(at: 1))
        case 2: self = .answered(try reader.read(at: 1))
        case let number: throw reader.unknownCase(number)
        }
    }
}

enum AskEffect: Codable, FastPayload {
    case ask(Int)
    case answer(Int)

    func encode(to writer: inout PayloadWriter) {
        switch self {
        case .ask(let number):
            writer.writeCase(1)
            writer.write(number, at: 1)
        case .answer(let number):
            writer.writeCase(2)
            writer.write(number, at: 1)
        }
    }

    init(from reader: inout PayloadReader) throws {
        switch try reader.readCase() {
        case 1: self = .ask(try reader.read(at: 1))
        case 2: self = .answer(try reader.read(at: 1))
        case let number: throw reader.unknownCase(number)
        }
    }
}
