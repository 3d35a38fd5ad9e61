import MobiusCodec
import MobiusCore
import MobiusEngine
import MobiusWire

/// The functions of one of several programs, for loops of its kind.
struct ProgramOfSeveral<Own: FleetProgram>: ProgramFunctions {
    typealias Program = Programs

    let single: SingleProgram<Own>
    private let isRetired: Bool

    init(_ routes: EffectRouter<Own.Effect, Own.Event>, isRetired: Bool) {
        single = SingleProgram(routes)
        self.isRetired = isRetired
    }

    var hasMain: Bool { Own.kind.name == LoopID.main.name && !isRetired }
    func complaint(about loop: LoopID) -> ProgramError? { nil }

    func refusalToBegin(_ loop: LoopID) -> ProgramError? {
        guard isRetired else { return nil }
        return ProgramError("The loop \(loop) cannot begin: the program of the kind \(Own.kind) is retired.")
    }

    var loopKinds: LoopKinds { LoopKinds([LoopKinds.Kind(Own.kind.name, limit: Own.maximumLoops)]) }

    var eventKinds: [PayloadKind] { single.eventKinds }
    func eventKind(of loop: LoopID) -> PayloadKind? { single.eventKind(of: loop) }
    func modelKind(of loop: LoopID) -> PayloadKind? { single.modelKind(of: loop) }
    var effectContentTypes: [String] { single.effectContentTypes }
    func newest(_ kind: PayloadKind, for loop: LoopID) -> PayloadKind { single.newest(kind, for: loop) }
    var poolNames: [String] { single.poolNames }
    var effectTypes: [String: Set<String>] { single.effectTypes }
    func masks(_ loop: LoopID) -> Bool { single.masks(loop) }
    func factPrefix(of loop: LoopID) -> String? { single.factPrefix(of: loop).map { _ in "\(Own.kind)/" } }
    var kindsWithFacts: [String] { single.kindsWithFacts.map { _ in Own.kind.name } }

    func first(of loop: LoopID, in context: LoopContext) -> First<ErasedValue, ErasedValue> {
        let first = single.first(of: loop, in: context)
        return First(model: ErasedValue(first.model), effects: first.effects.map { ErasedValue($0) })
    }

    func loop(_ id: LoopID, _ model: ErasedValue) -> any ProgramLoop<Programs> {
        LoopOfSeveral(single.typed(id, model.unwrapped()))
    }

    func model(_ payload: Payload, of loop: LoopID) throws(CodingFailure) -> ErasedValue {
        ErasedValue(try single.model(payload, of: loop))
    }

    func encode(
        _ model: ErasedValue, of loop: LoopID, as contentType: String?
    ) throws(CodingFailure) -> Payload {
        try single.encode(model.unwrapped(), of: loop, as: contentType)
    }

    func facts(of model: ErasedValue, of loop: LoopID) -> Facts { single.facts(of: model.unwrapped(), of: loop) }

    func effect(_ payload: Payload, of loop: LoopID) throws(CodingFailure) -> ErasedValue {
        ErasedValue(try single.effect(payload, of: loop))
    }

    func encode(effect: ErasedValue, of loop: LoopID) throws(CodingFailure) -> Payload {
        try single.encode(effect: effect.unwrapped(), of: loop)
    }

    func event(_ payload: Payload, for loop: LoopID) throws(CodingFailure) -> ErasedValue {
        ErasedValue(try single.event(payload, for: loop))
    }

    func encode(event: ErasedValue, for loop: LoopID) throws(CodingFailure) -> Payload {
        guard let own = event.value as? Own.Event else {
            let reason = "it is a \(type(of: event.value)), and loops of the kind \(Own.kind) take \(Own.Event.self)"
            throw CodingFailure(.encoding, type: "an event for \(loop)", reason: reason)
        }
        return try single.encode(event: own, for: loop)
    }

    func pool(of effect: Payload, for loop: LoopID) -> String? { single.pool(of: effect, for: loop) }

    func rewritten(_ event: Payload, for loop: LoopID) throws(CodingFailure) -> Payload {
        try single.rewritten(event, for: loop)
    }

    func masked(_ payload: Payload, as masking: PayloadMasking, of loop: LoopID) -> Payload {
        single.masked(payload, as: masking, of: loop)
    }

    func schema() -> [UInt8] { single.schema() }

    func definitions(prefix: String) -> [JSONTree.Member] { single.definitions(prefix: prefix) }

    func visitRouters(_ visitor: inout some RouterVisitor) { visitor.visit(single.routes, of: Own.kind.name) }
}

/// A loop of one of several programs: its model and effects as values have their types erased.
private final class LoopOfSeveral<Own: FleetProgram>: ProgramLoop {
    typealias Program = Programs

    private let typed: TypedLoop<Own>

    init(_ typed: TypedLoop<Own>) {
        self.typed = typed
    }

    var payloads: any PayloadLoop { typed }
    var model: ErasedValue { ErasedValue(typed.model) }

    func apply(
        _ event: Payload, in context: @autoclosure () -> LoopContext
    ) throws(CodingFailure) -> Change<ErasedValue> {
        let change = try typed.apply(event, in: context())
        let effects = change.effects.map { ErasedValue($0) }
        return change.changed ? .next(effects: effects) : .dispatchEffects(effects)
    }

    func plan(_ effects: [ErasedValue]) throws(ProgramError) -> [PlannedEffect] {
        try typed.plan(effects.map { $0.unwrapped() })
    }
}
