package import MobiusCodec
package import MobiusCore
package import MobiusEngine
package import MobiusWire

/// The functions of several programs: each loop's name decides whose.
package struct SeveralPrograms: ProgramFunctions {
    package typealias Program = Programs

    private let kinds: [String]
    private let programs: [String: any ProgramFunctions<Programs>]

    /// - Parameter isRouted: Whether its loops are to be run, for which the programs' routes are read.
    package init(_ programs: Programs, isRouted: Bool = true) {
        kinds = programs.entries.map(\.kind.name).sorted()
        self.programs = Dictionary(
            uniqueKeysWithValues: programs.entries.map { ($0.kind.name, $0.functions(isRouted)) })
    }

    private func program(of loop: LoopID) -> (any ProgramFunctions<Programs>)? { programs[LoopKind.name(of: loop)] }

    /// - Throws: a `CodingFailure` when no program runs the loop.
    private func existing(
        _ loop: LoopID, _ operation: CodingFailure.Operation, _ what: String
    ) throws(CodingFailure) -> any ProgramFunctions<Programs> {
        guard let program = program(of: loop) else {
            throw CodingFailure(operation, type: what, reason: sentence(about: loop))
        }
        return program
    }

    /// Only of loops about which there is no complaint.
    private func known(_ loop: LoopID) -> any ProgramFunctions<Programs> {
        guard let program = program(of: loop) else { preconditionFailure(sentence(about: loop)) }
        return program
    }

    private func sentence(about loop: LoopID) -> String {
        let kind = LoopKind.name(of: loop)
        let meant = NearestName.of(kind, in: kinds).map { " Did you mean \($0)?" } ?? ""
        return """
            No program has loops of the kind \(kind), as \(loop) is: a loop's name is its kind, or begins with it and a slash, and \
            the kinds are \(kinds.joined(separator: ", ")).\(meant)
            """
    }

    package var hasMain: Bool { programs[LoopID.main.name]?.hasMain ?? false }

    package func complaint(about loop: LoopID) -> ProgramError? {
        guard program(of: loop) != nil else { return ProgramError(sentence(about: loop)) }
        // It would be another loop than the one of its kind's name, to which its address would lead.
        guard loop.name.utf8.count != LoopKind.name(of: loop).utf8.count + 1 else {
            return ProgramError("The name of the loop \(loop) ends where its key should begin.")
        }
        return nil
    }

    package func refusalToBegin(_ loop: LoopID) -> ProgramError? { program(of: loop)?.refusalToBegin(loop) }
    package var loopKinds: LoopKinds { LoopKinds(kinds.flatMap { programs[$0]?.loopKinds.all ?? [] }) }
    package var eventKinds: [PayloadKind] { kinds.flatMap { programs[$0]?.eventKinds ?? [] } }
    package func eventKind(of loop: LoopID) -> PayloadKind? { program(of: loop)?.eventKind(of: loop) }
    package func modelKind(of loop: LoopID) -> PayloadKind? { program(of: loop)?.modelKind(of: loop) }

    package var effectContentTypes: [String] { Set(programs.values.flatMap(\.effectContentTypes)).sorted() }

    package func newest(_ kind: PayloadKind, for loop: LoopID) -> PayloadKind {
        program(of: loop)?.newest(kind, for: loop) ?? kind
    }

    package var poolNames: [String] { kinds.flatMap { programs[$0]?.poolNames ?? [] } }

    package var effectTypes: [String: Set<String>] {
        programs.values.reduce(into: [:]) { $0.merge($1.effectTypes) { $0.union($1) } }
    }

    /// Of a loop that no program runs, all is masked if any program masks.
    package func masks(_ loop: LoopID) -> Bool {
        program(of: loop)?.masks(loop) ?? programs.values.contains { $0.masks(loop) }
    }

    package func factPrefix(of loop: LoopID) -> String? { program(of: loop)?.factPrefix(of: loop) }
    package var kindsWithFacts: [String] { kinds.flatMap { programs[$0]?.kindsWithFacts ?? [] } }

    package func first(of loop: LoopID, in context: LoopContext) -> First<ErasedValue, ErasedValue> {
        known(loop).first(of: loop, in: context)
    }

    package func loop(_ id: LoopID, _ model: ErasedValue) -> any ProgramLoop<Programs> { known(id).loop(id, model) }

    package func model(_ payload: Payload, of loop: LoopID) throws(CodingFailure) -> ErasedValue {
        try existing(loop, .decoding, payload.kind.type).model(payload, of: loop)
    }

    package func encode(
        _ model: ErasedValue, of loop: LoopID, as contentType: String?
    ) throws(CodingFailure) -> Payload {
        try existing(loop, .encoding, "a model").encode(model, of: loop, as: contentType)
    }

    package func facts(of model: ErasedValue, of loop: LoopID) -> Facts {
        program(of: loop)?.facts(of: model, of: loop) ?? [:]
    }

    package func effect(_ payload: Payload, of loop: LoopID) throws(CodingFailure) -> ErasedValue {
        try existing(loop, .decoding, payload.kind.type).effect(payload, of: loop)
    }

    package func encode(effect: ErasedValue, of loop: LoopID) throws(CodingFailure) -> Payload {
        try existing(loop, .encoding, "an effect").encode(effect: effect, of: loop)
    }

    package func event(_ payload: Payload, for loop: LoopID) throws(CodingFailure) -> ErasedValue {
        try existing(loop, .decoding, payload.kind.type).event(payload, for: loop)
    }

    package func encode(event: ErasedValue, for loop: LoopID) throws(CodingFailure) -> Payload {
        try existing(loop, .encoding, "an event").encode(event: event, for: loop)
    }

    package func pool(of effect: Payload, for loop: LoopID) -> String? {
        program(of: loop)?.pool(of: effect, for: loop)
    }

    package func rewritten(_ event: Payload, for loop: LoopID) throws(CodingFailure) -> Payload {
        try existing(loop, .decoding, event.kind.type).rewritten(event, for: loop)
    }

    /// Of a loop that no program runs, all is masked as a whole.
    package func masked(_ payload: Payload, as masking: PayloadMasking, of loop: LoopID) -> Payload {
        program(of: loop)?.masked(payload, as: masking, of: loop) ?? ProgramMask<Programs>.whole(payload)
    }

    package func schema() -> [UInt8] {
        ProgramSchema.json(
            of: kinds.compactMap { kind in programs[kind].map { (kind, $0.definitions(prefix: "\(kind).")) } })
    }

    package func definitions(prefix: String) -> [JSONTree.Member] {
        kinds.flatMap { programs[$0]?.definitions(prefix: "\(prefix)\($0).") ?? [] }
    }

    package func visitRouters(_ visitor: inout some RouterVisitor) {
        for program in programs.values { program.visitRouters(&visitor) }
    }
}
