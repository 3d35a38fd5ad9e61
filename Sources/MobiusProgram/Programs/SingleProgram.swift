package import MobiusCodec
package import MobiusCore
package import MobiusEngine
package import MobiusWire

/// The functions of one program, for all loops.
package struct SingleProgram<Program: LoopProgram>: ProgramFunctions {
    package let routes: EffectRouter<Program.Effect, Program.Event>
    package let codings: ProgramCodecs<Program>
    private let first: @Sendable (LoopContext) -> First<Program.Model, Program.Effect>
    private let mask = ProgramMask<Program>.chosen
    private let finder = ProgramFacts<Program>.chosen

    /// Takes the program's routes; `first` makes the first model and the first effects of a new loop.
    package init(
        _ routes: EffectRouter<Program.Effect, Program.Event>, codings: ProgramCodecs<Program> = ProgramCodecs(),
        first: @escaping @Sendable (LoopContext) -> First<Program.Model, Program.Effect> = Program.first(in:)
    ) {
        self.routes = routes
        self.codings = codings
        self.first = first
    }

    package var hasMain: Bool { true }
    package func complaint(about loop: LoopID) -> ProgramError? { nil }
    package func refusalToBegin(_ loop: LoopID) -> ProgramError? { nil }
    package var loopKinds: LoopKinds { LoopKinds() }
    package var eventKinds: [PayloadKind] { [codings.events.kind] }
    package func eventKind(of loop: LoopID) -> PayloadKind? { codings.events.kind }
    package func modelKind(of loop: LoopID) -> PayloadKind? { codings.models.kind }
    package var effectContentTypes: [String] { [codings.effects.kind.contentType] }
    package func newest(_ kind: PayloadKind, for loop: LoopID) -> PayloadKind { codings.events.newest(kind) }
    package var poolNames: [String] { routes.poolNames }
    package var effectTypes: [String: Set<String>] {
        Dictionary(poolNames.map { ($0, [codings.effects.kind.type]) }, uniquingKeysWith: { one, _ in one })
    }
    package func masks(_ loop: LoopID) -> Bool { mask != nil }
    package func factPrefix(of loop: LoopID) -> String? { finder == nil ? nil : "" }
    package var kindsWithFacts: [String] { finder == nil ? [] : [""] }

    package func first(of loop: LoopID, in context: LoopContext) -> First<Program.Model, Program.Effect> {
        first(context)
    }

    package func loop(_ id: LoopID, _ model: Program.Model) -> any ProgramLoop<Program> { typed(id, model) }

    func typed(_ id: LoopID, _ model: Program.Model) -> TypedLoop<Program> {
        TypedLoop(id: id, model: model, routes: routes, codings: codings)
    }

    package func model(_ payload: Payload, of loop: LoopID) throws(CodingFailure) -> Program.Model {
        try codings.models.decode(payload)
    }

    package func encode(
        _ model: Program.Model, of loop: LoopID, as contentType: String?
    ) throws(CodingFailure) -> Payload {
        guard let contentType else { return try codings.models.encode(model) }
        return try codings.models.encode(model, as: contentType)
    }

    package func facts(of model: Program.Model, of loop: LoopID) -> Facts { finder?(model) ?? [:] }

    package func effect(_ payload: Payload, of loop: LoopID) throws(CodingFailure) -> Program.Effect {
        try codings.effects.decode(payload)
    }

    package func encode(effect: Program.Effect, of loop: LoopID) throws(CodingFailure) -> Payload {
        try codings.effects.encode(effect)
    }

    package func event(_ payload: Payload, for loop: LoopID) throws(CodingFailure) -> Program.Event {
        try codings.events.decode(payload)
    }

    package func encode(event: Program.Event, for loop: LoopID) throws(CodingFailure) -> Payload {
        try codings.events.encode(event)
    }

    package func pool(of effect: Payload, for loop: LoopID) -> String? {
        guard let decoded = try? codings.effects.decode(effect),
            case .one(.remote(let route)) = routes.resolve(decoded), case .pool(let name) = route.plan.destination
        else { return nil }
        return name
    }

    package func rewritten(_ event: Payload, for loop: LoopID) throws(CodingFailure) -> Payload {
        try codings.events.encode(codings.events.decode(event), as: event.kind.contentType)
    }

    package func masked(_ payload: Payload, as masking: PayloadMasking, of loop: LoopID) -> Payload {
        guard let mask else { return payload }
        return switch masking {
        case .model: mask.model(payload, codings)
        case .event: mask.event(payload, codings)
        case .effect: mask.effect(payload, codings)
        }
    }

    package func schema() -> [UInt8] { ProgramSchema.json(of: Program.self) }

    package func definitions(prefix: String) -> [JSONTree.Member] {
        ProgramSchema.definitions(of: Program.self, prefix: prefix)
    }

    package func visitRouters(_ visitor: inout some RouterVisitor) { visitor.visit(routes, of: nil) }
}
