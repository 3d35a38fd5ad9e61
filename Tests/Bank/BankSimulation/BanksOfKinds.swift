import MobiusCodec
import MobiusCore
import MobiusEngine
import MobiusProgram
import MobiusWire

/// The bank as several programs: each loop is run by the program of its name, and all do the same.
///
/// So a run is the same as with one program, byte for byte, and whatever goes to the wrong program shows.
struct BanksOfKinds: ProgramFunctions {
    typealias Program = FallibleBank

    private let several: SeveralPrograms

    init(_ routes: EffectRouter<FallibleBank.Effect, FallibleBank.Event>) {
        several = SeveralPrograms(
            Programs {
                BankOf<Main>.routed(by: routes)
                BankOf<Side>.routed(by: routes)
                BankOf<Branch>.routed(by: routes)
            })
    }

    var hasMain: Bool { several.hasMain }
    func complaint(about loop: LoopID) -> ProgramError? { several.complaint(about: loop) }
    func refusalToBegin(_ loop: LoopID) -> ProgramError? { several.refusalToBegin(loop) }
    var loopKinds: LoopKinds { several.loopKinds }
    var eventKinds: [PayloadKind] { several.eventKinds }
    func eventKind(of loop: LoopID) -> PayloadKind? { several.eventKind(of: loop) }
    func modelKind(of loop: LoopID) -> PayloadKind? { several.modelKind(of: loop) }
    var effectContentTypes: [String] { several.effectContentTypes }
    func newest(_ kind: PayloadKind, for loop: LoopID) -> PayloadKind { several.newest(kind, for: loop) }
    var poolNames: [String] { several.poolNames }
    var effectTypes: [String: Set<String>] { several.effectTypes }
    func masks(_ loop: LoopID) -> Bool { several.masks(loop) }
    func factPrefix(of loop: LoopID) -> String? { several.factPrefix(of: loop) }
    var kindsWithFacts: [String] { several.kindsWithFacts }

    func first(of loop: LoopID, in context: LoopContext) -> First<FallibleBank.Model, FallibleBank.Effect> {
        let first = several.first(of: loop, in: context)
        return First(model: first.model.unwrapped(), effects: first.effects.map { $0.unwrapped() })
    }

    func loop(_ id: LoopID, _ model: FallibleBank.Model) -> any ProgramLoop<FallibleBank> {
        LoopOfKind(several.loop(id, ErasedValue(model)))
    }

    func model(_ payload: Payload, of loop: LoopID) throws(CodingFailure) -> FallibleBank.Model {
        try several.model(payload, of: loop).unwrapped()
    }

    func encode(
        _ model: FallibleBank.Model, of loop: LoopID, as contentType: String?
    ) throws(CodingFailure) -> Payload {
        try several.encode(ErasedValue(model), of: loop, as: contentType)
    }

    func facts(of model: FallibleBank.Model, of loop: LoopID) -> Facts {
        several.facts(of: ErasedValue(model), of: loop)
    }

    func effect(_ payload: Payload, of loop: LoopID) throws(CodingFailure) -> FallibleBank.Effect {
        try several.effect(payload, of: loop).unwrapped()
    }

    func encode(effect: FallibleBank.Effect, of loop: LoopID) throws(CodingFailure) -> Payload {
        try several.encode(effect: ErasedValue(effect), of: loop)
    }

    func event(_ payload: Payload, for loop: LoopID) throws(CodingFailure) -> FallibleBank.Event {
        try several.event(payload, for: loop).unwrapped()
    }

    func encode(event: FallibleBank.Event, for loop: LoopID) throws(CodingFailure) -> Payload {
        try several.encode(event: ErasedValue(event), for: loop)
    }

    func pool(of effect: Payload, for loop: LoopID) -> String? { several.pool(of: effect, for: loop) }

    func rewritten(_ event: Payload, for loop: LoopID) throws(CodingFailure) -> Payload {
        try several.rewritten(event, for: loop)
    }

    func masked(_ payload: Payload, as masking: PayloadMasking, of loop: LoopID) -> Payload {
        several.masked(payload, as: masking, of: loop)
    }

    func schema() -> [UInt8] { several.schema() }
    func definitions(prefix: String) -> [JSONTree.Member] { several.definitions(prefix: prefix) }
    func visitRouters(_ visitor: inout some RouterVisitor) { several.visitRouters(&visitor) }
}

private final class LoopOfKind: ProgramLoop {
    typealias Program = FallibleBank

    private let erased: any ProgramLoop<Programs>

    init(_ erased: any ProgramLoop<Programs>) {
        self.erased = erased
    }

    var payloads: any PayloadLoop { erased.payloads }
    var model: FallibleBank.Model { erased.model.unwrapped() }

    func apply(
        _ event: Payload, in context: @autoclosure () -> LoopContext
    ) throws(CodingFailure) -> Change<FallibleBank.Effect> {
        let change = try erased.apply(event, in: context())
        let effects: [FallibleBank.Effect] = change.effects.map { $0.unwrapped() }
        return change.changed ? .next(effects: effects) : .dispatchEffects(effects)
    }

    func plan(_ effects: [FallibleBank.Effect]) throws(ProgramError) -> [PlannedEffect] {
        try erased.plan(effects.map { ErasedValue($0) })
    }
}

// MARK: - The programs

private protocol KindName {
    static var kind: LoopKind { get }
}

private enum Main: KindName { static let kind: LoopKind = "main" }
private enum Side: KindName { static let kind: LoopKind = "side" }
private enum Branch: KindName { static let kind: LoopKind = "branch" }

/// The bank for loops of one kind; it notes the kind for which it is called.
private enum BankOf<Name: KindName>: InPlaceContextLoopProgram, FleetProgram, FindableProgram {
    typealias Model = FallibleBank.Model
    typealias Event = FallibleBank.Event
    typealias Effect = FallibleBank.Effect

    static var kind: LoopKind { Name.kind }
    static var routes: EffectRouter<Effect, Event> { EffectRouter() }

    static func initiate(_ context: LoopContext) -> First<Model, Effect> {
        Contexts.current?.note(kind.name, for: context.loop)
        return FallibleBank.initiate(context)
    }

    static func facts(_ model: Model) -> Facts { FallibleBank.facts(model) }

    static func update(_ model: inout Model, _ event: Event, _ context: LoopContext) -> Change<Effect> {
        Contexts.current?.note(kind.name, for: context.loop)
        return FallibleBank.update(&model, event, context)
    }
}
