import MobiusCodec
package import MobiusCore
package import MobiusEngine
package import MobiusJournal
package import MobiusProgram
package import MobiusWire

/// The functions of its program that a coordinator calls, for all loops.
///
/// The program's code may trap, so this and ``GuardedLoop`` are the only ways to it in this room (`ArchitectureTests`):
/// each call names its loop and what it is for, and takes the breadcrumbs of its thread, which record that meanwhile. They
/// are `nil` for a journal in memory, and in a process whose end costs nobody else anything.
package struct ProgramCalls<Program: LoopProgram>: Sendable {
    private let functions: any ProgramFunctions<Program>

    /// Makes the calls of these functions.
    package init(_ functions: any ProgramFunctions<Program>) {
        self.functions = functions
    }

    // MARK: Without a call of the program

    /// Whether the loop `main` always exists.
    package var hasMain: Bool { functions.hasMain }
    /// The kinds in which events are written.
    var eventKinds: [PayloadKind] { functions.eventKinds }
    /// The media type of effects; `nil` when programs use several.
    package var effectContentType: String? {
        let types = functions.effectContentTypes
        return types.count == 1 ? types.first : nil
    }
    /// The names of the types of effects that go to each pool that the routes name.
    package var effectTypes: [String: Set<String>] { functions.effectTypes }
    /// The pools that the routes name.
    var poolNames: [String] { functions.poolNames }
    /// Whether the program of a loop masks what people must not see.
    func masks(_ loop: LoopID) -> Bool { functions.masks(loop) }

    /// Whether any program declares facts.
    package var hasFacts: Bool { !functions.kindsWithFacts.isEmpty }
    /// The text before the names of facts of loops like this one; `nil` when their program declares none.
    package func factPrefix(of loop: LoopID) -> String? { functions.factPrefix(of: loop) }

    /// The kinds of loops whose programs declare facts.
    var kindsWithFacts: [String] { functions.kindsWithFacts }

    /// Returns why no program runs a loop of that name; `nil` when one does.
    package func complaint(about loop: LoopID) -> ProgramError? { functions.complaint(about: loop) }

    /// The kinds of loops, where there are several programs.
    package var loopKinds: LoopKinds { functions.loopKinds }

    /// Returns why a loop cannot begin: no program runs it, or one that is retired; `nil` when it can.
    func refusalToBegin(_ loop: LoopID) -> ProgramError? {
        functions.complaint(about: loop) ?? functions.refusalToBegin(loop)
    }

    /// The kind in which a loop's events are written.
    func eventKind(of loop: LoopID) -> PayloadKind? { functions.eventKind(of: loop) }

    /// The kind in which a loop's models are written.
    func modelKind(of loop: LoopID) -> PayloadKind? { functions.modelKind(of: loop) }

    /// The kind of an event, with the newest version for 0.
    func newest(_ kind: PayloadKind, for loop: LoopID) -> PayloadKind { functions.newest(kind, for: loop) }

    /// A loop with this model.
    func loop(_ id: LoopID, _ model: Program.Model) -> GuardedLoop<Program> {
        GuardedLoop(functions.loop(id, model))
    }

    // MARK: Loops

    /// The first model and effects of a loop.
    ///
    /// - Parameter sequence: The number of the loop's start if it is in the journal.
    func initiate(
        _ loop: LoopID, replayed sequence: UInt64? = nil, in context: LoopContext, _ trail: EventTrail?
    ) -> First<Program.Model, Program.Effect> {
        trail.applying(nil, from: .start, to: loop, replayed: sequence) {
            functions.first(of: loop, in: context)
        }
    }

    /// The first model and effects of a loop, as the record of its start says.
    func initiate(
        replayed start: EventRecord, _ trail: EventTrail?
    ) -> First<Program.Model, Program.Effect> {
        initiate(start.loop, replayed: start.sequence, in: LoopContext(start), trail)
    }

    /// Decodes the model of a snapshot.
    func model(of snapshot: Snapshot, _ trail: EventTrail?) throws(CodingFailure) -> Program.Model {
        let (loop, sequence) = (snapshot.loop, snapshot.sequence)
        return try trail.applying(
            nil, from: .place(.model, of: loop, after: sequence), to: loop, replayed: sequence
        ) { () throws(CodingFailure) in
            try functions.model(snapshot.model, of: loop)
        }
    }

    func encode(_ model: Program.Model, of loop: LoopID, _ trail: EventTrail?) throws(CodingFailure) -> Payload {
        try trail.applying(nil, from: .place(.encoding, of: loop), to: loop) { () throws(CodingFailure) in
            try functions.encode(model, of: loop, as: nil)
        }
    }

    /// The facts of a loop with this model, by name.
    ///
    /// - Parameter prefix: Stands before their names.
    package func facts(
        of model: Program.Model, of loop: LoopID, prefix: String, _ trail: EventTrail?
    ) -> [StoredFact] {
        trail.applying(nil, from: .place(.facts, of: loop), to: loop) {
            functions.facts(of: model, of: loop).keyed.map { StoredFact(name: prefix + $0.name, key: $0.key) }
        }
    }

    /// A replayed model, beside a snapshot.
    enum Comparison {
        case same
        /// They differ; the hash of the replayed model's bytes.
        case different(hash: UInt64)
        /// The reason is a clause without a full stop.
        case impossible(String)
    }

    /// Compares a replayed model with a snapshot's.
    func compare(_ model: Program.Model, with snapshot: Snapshot, _ trail: EventTrail?) -> Comparison {
        let (loop, sequence) = (snapshot.loop, snapshot.sequence)
        return trail.applying(
            nil, from: .place(.check, of: loop, after: sequence), to: loop, replayed: sequence
        ) {
            // In the content type of the snapshot, which an earlier build may have chosen.
            let contentType = snapshot.model.kind.contentType
            guard let payload = try? functions.encode(model, of: loop, as: contentType) else {
                return .impossible("its model was written as \(contentType)")
            }
            let hash = FNV1a.hash(payload.bytes)
            guard hash != snapshot.hash else { return .same }
            guard let kept = try? functions.model(snapshot.model, of: loop) else {
                return .impossible("the snapshot cannot be read")
            }
            return holds(model, kept, coded: payload, snapshot.model) ? .same : .different(hash: hash)
        }
    }

    /// Whether two models of a loop after the same event are the same, by their bytes or as values.
    package func areEqual(
        _ one: Program.Model, _ other: Program.Model, of loop: LoopID, after sequence: UInt64, _ trail: EventTrail?
    ) -> Bool {
        trail.applying(nil, from: .place(.check, of: loop, after: sequence), to: loop, replayed: sequence) {
            guard let coded = try? functions.encode(one, of: loop, as: nil),
                let otherCoded = try? functions.encode(other, of: loop, as: nil)
            else { return false }
            return coded.bytes == otherCoded.bytes || holds(one, other, coded: coded, otherCoded)
        }
    }

    private func holds(_ one: Program.Model, _ other: Program.Model, coded: Payload, _ otherCoded: Payload) -> Bool {
        ModelEquality.holds(
            ErasedValue.content(of: one), ErasedValue.content(of: other), coded: coded, otherCoded)
    }

    // MARK: Effects

    /// The pool to which an effect of the journal goes by the current routes, whether its loop runs, is idle or has ended.
    ///
    /// `nil` for one that goes to no pool, or that this build cannot read.
    func pool(of effect: Payload, named id: EffectID, _ trail: EventTrail?) -> String? {
        trail.applying(effect, from: .place(.letter, of: id), to: id.loop) {
            functions.pool(of: effect, for: id.loop)
        }
    }

    // MARK: Events

    /// Decodes an event of a loop's effect for another loop, to find out whether that could apply it.
    func check(_ event: Payload, of effect: EffectID, for other: LoopID, _ trail: EventTrail?) throws(CodingFailure) {
        try trail.applying(event, from: .loop(effect), to: effect.loop) { () throws(CodingFailure) in
            _ = try functions.event(event, for: other)
        }
    }

    /// Decodes an event, and encodes it as this build does in the same coding.
    func rewritten(
        _ event: Payload, from source: SourceKey, for loop: LoopID, _ trail: EventTrail?
    ) throws(CodingFailure) -> Payload {
        try trail.applying(event, from: source, to: loop) { () throws(CodingFailure) in
            try functions.rewritten(event, for: loop)
        }
    }

    // MARK: Masks

    /// A payload that is masked as a whole, without a call of the program.
    static func maskedWhole(_ payload: Payload) -> Payload { ProgramMask<Program>.whole(payload) }

    /// A payload of a loop as people may see it.
    ///
    /// - Parameter isSkipped: Whether it is masked as a whole, without a call of the program.
    func masked(
        _ payload: Payload, as masking: PayloadMasking, of loop: LoopID, isSkipped: Bool, _ trail: EventTrail?
    ) -> Payload {
        guard masks(loop) else { return payload }
        guard !isSkipped else { return Self.maskedWhole(payload) }
        return trail.applying(nil, from: .place(.masking, of: loop), to: loop) {
            functions.masked(payload, as: masking, of: loop)
        }
    }

    /// The forms of the types as JSON, which calls each `init(from:)` with samples.
    func schema() -> [UInt8] { functions.schema() }
}

/// A loop of the program; each call of it names what it is for: see ``ProgramCalls``.
package struct GuardedLoop<Program: LoopProgram> {
    private let typed: any ProgramLoop<Program>
    private let payloads: any PayloadLoop

    fileprivate init(_ typed: any ProgramLoop<Program>) {
        self.typed = typed
        payloads = typed.payloads
    }

    package var id: LoopID { payloads.id }

    package var model: Program.Model { typed.model }

    /// Applies an event, and plans its effects.
    ///
    /// - Throws: a `CodingFailure` for an event that cannot be read, and `ProgramError` for an effect that cannot be planned.
    // Without a closure, which would receive copies.
    @inline(__always)
    func advance(
        _ event: Payload, from source: SourceKey, of id: LoopID, in context: () -> LoopContext, _ trail: EventTrail?,
        scratch: inout CodingScratch
    ) throws -> (changed: Bool, effects: OneOrMany<PlannedEffect>) {
        trail?.note(event, from: source, to: id)
        defer { trail?.clear() }
        return try payloads.advance(event, in: context, scratch: &scratch)
    }

    /// Applies an event in a process whose end costs nobody else anything.
    func apply(_ event: Payload, in context: LoopContext) throws(CodingFailure) -> Change<Program.Effect> {
        try typed.apply(event, in: context)
    }

    /// Applies an event of the journal, which has a payload.
    func apply(
        _ event: Payload, of record: EventRecord, _ trail: EventTrail?
    ) throws(CodingFailure) -> Change<Program.Effect> {
        try trail.applying(event, from: record.source, to: id, replayed: record.sequence) {
            () throws(CodingFailure) in
            try typed.apply(event, in: LoopContext(record))
        }
    }

    /// The kinds of news of which a route makes an event.
    enum News {
        case failure(EffectFailure)
        case answer(LoopReply)
        case timer
        case delivery
    }

    /// The event that an effect's route makes of news, or `nil` if there is none.
    func event(
        of news: News, effect: Payload, from source: SourceKey, _ trail: EventTrail?
    ) throws(CodingFailure) -> Payload? {
        try trail.applying(effect, from: source, to: id) { () throws(CodingFailure) in
            switch news {
            case .failure(let failure): try payloads.event(of: failure, effect: effect)
            case .answer(let reply): try payloads.event(ofAnswer: reply.reply, effect: effect)
            case .timer: try payloads.event(ofTimer: effect)
            case .delivery: try payloads.event(ofDelivery: effect)
            }
        }
    }

    /// The pending effects that an effect with a `.cancels` route cancels; none if it cannot be decoded.
    func cancelled(
        by id: EffectID, _ effect: Payload, among underWay: [(id: EffectID, effect: Payload)], _ trail: EventTrail?
    ) -> [EffectID] {
        trail.applying(effect, from: .place(.cancels, of: id), to: self.id) {
            (try? payloads.cancelled(by: effect, among: underWay)) ?? []
        }
    }

    /// The first effects of a loop, with the plans of their routes.
    func plan(first effects: [Program.Effect], _ trail: EventTrail?) throws(ProgramError) -> [PlannedEffect] {
        try trail.applying(nil, from: .start, to: id) { () throws(ProgramError) in try typed.plan(effects) }
    }

    /// The plan of a pending effect of the journal, or of a dead letter, by the current routes.
    func plan(
        _ effect: Payload, of id: EffectID, at place: ProgramPlace, _ trail: EventTrail?
    ) throws(ProgramError) -> EffectPlan {
        try trail.applying(effect, from: .place(place, of: id), to: self.id) { () throws(ProgramError) in
            try payloads.plan(effect)
        }
    }
}

extension LoopContext {
    /// The context of an event of a loop that has this place.
    package init(_ place: EventPlace, of loop: LoopID, from source: SourceKey = .start) {
        self.init(
            loop: loop.name, number: place.number, milliseconds: place.time.milliseconds, sender: source.sender?.name)
    }

    /// The context in which the event of a record was applied.
    package init(_ record: EventRecord) {
        self.init(
            loop: record.loop.name, number: record.sequence, milliseconds: record.time.milliseconds,
            sender: record.source.sender?.name)
    }
}
