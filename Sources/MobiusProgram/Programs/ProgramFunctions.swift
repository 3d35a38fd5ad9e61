package import MobiusCodec
package import MobiusCore
package import MobiusEngine
package import MobiusWire

/// The functions of what a coordinator runs, one program or several: payloads in, payloads and plans out.
///
/// Each call runs code of the program of the loop that it names.
package protocol ProgramFunctions<Program>: Sendable {
    associatedtype Program: LoopProgram

    // MARK: Without a call of a program

    /// Whether the loop `main` always exists.
    var hasMain: Bool { get }
    /// Returns why no program runs a loop of that name, in a sentence that says what to do; `nil` when one does.
    func complaint(about loop: LoopID) -> ProgramError?
    /// Returns why a loop that some program runs cannot begin; `nil` when it can.
    func refusalToBegin(_ loop: LoopID) -> ProgramError?
    /// The kinds of its loops, where there are several programs.
    var loopKinds: LoopKinds { get }
    /// The kinds in which events are written.
    var eventKinds: [PayloadKind] { get }
    /// The kind in which the events of a loop are written.
    func eventKind(of loop: LoopID) -> PayloadKind?
    /// The kind in which the models of a loop are written.
    func modelKind(of loop: LoopID) -> PayloadKind?
    /// The media types in which effects are written, each once.
    var effectContentTypes: [String] { get }
    /// Returns the kind of an event, with the newest version for 0.
    func newest(_ kind: PayloadKind, for loop: LoopID) -> PayloadKind
    /// The pools that the routes name.
    var poolNames: [String] { get }
    /// The names of the types of effects that go to each of these pools.
    var effectTypes: [String: Set<String>] { get }
    /// Whether the program of a loop masks what people must not see.
    func masks(_ loop: LoopID) -> Bool
    /// The text before the names of facts of loops like this one; `nil` when their program declares none.
    func factPrefix(of loop: LoopID) -> String?
    /// The kinds of loops whose programs declare facts; an empty one for all loops of the only program.
    var kindsWithFacts: [String] { get }

    // MARK: Loops; only of those that a program runs

    /// Returns the first model and the first effects of a loop.
    func first(of loop: LoopID, in context: LoopContext) -> First<Program.Model, Program.Effect>
    /// Returns a loop with this model.
    func loop(_ id: LoopID, _ model: Program.Model) -> any ProgramLoop<Program>

    // MARK: Payloads

    func model(_ payload: Payload, of loop: LoopID) throws(CodingFailure) -> Program.Model
    /// Encodes a model; `nil` chooses the content type of the program.
    func encode(_ model: Program.Model, of loop: LoopID, as contentType: String?) throws(CodingFailure) -> Payload
    /// Returns the facts of a model; none where the program declares none.
    func facts(of model: Program.Model, of loop: LoopID) -> Facts
    func effect(_ payload: Payload, of loop: LoopID) throws(CodingFailure) -> Program.Effect
    func encode(effect: Program.Effect, of loop: LoopID) throws(CodingFailure) -> Payload
    func event(_ payload: Payload, for loop: LoopID) throws(CodingFailure) -> Program.Event
    func encode(event: Program.Event, for loop: LoopID) throws(CodingFailure) -> Payload
    /// Returns the pool to which an effect goes; `nil` for none, or an effect that cannot be read.
    func pool(of effect: Payload, for loop: LoopID) -> String?
    /// Decodes an event, and encodes it as this build does in the same coding.
    func rewritten(_ event: Payload, for loop: LoopID) throws(CodingFailure) -> Payload
    /// Returns a payload as people may see it.
    func masked(_ payload: Payload, as masking: PayloadMasking, of loop: LoopID) -> Payload
    /// Returns the forms of the types as JSON: see ``ProgramSchema``.
    func schema() -> [UInt8]
    /// Returns the definitions of the types, with names that begin so.
    func definitions(prefix: String) -> [JSONTree.Member]

    /// Visits the routers of all programs.
    func visitRouters(_ visitor: inout some RouterVisitor)
}

/// Receives routers, which have types of their own.
package protocol RouterVisitor {
    /// Visits the router of a kind of loops; `nil` for that of all loops.
    mutating func visit<Effect: Codable & Sendable, Event: Codable & Sendable>(
        _ router: EffectRouter<Effect, Event>, of kind: String?)
}

/// The kinds of contents that are masked.
package enum PayloadMasking: Sendable { case model, event, effect }

/// A loop of a program: payloads in, payloads and plans out, whatever types the program has.
///
/// It is confined to one thread at a time.
package protocol PayloadLoop: AnyObject {
    var id: LoopID { get }

    /// Applies an encoded event, and plans its effects.
    ///
    /// - Parameter context: Called for a program that uses contexts only.
    /// - Throws: a `CodingFailure` for an event that cannot be read, and ``ProgramError`` for an effect that cannot be planned.
    func advance(
        _ event: Payload, in context: () -> LoopContext, scratch: inout CodingScratch
    ) throws -> (changed: Bool, effects: OneOrMany<PlannedEffect>)
    /// The event of an effect's route for its failure, or `nil` if there is none.
    func event(of failure: EffectFailure, effect: Payload) throws(CodingFailure) -> Payload?
    /// The event of an effect's route for what the loop that it asked told it, or `nil` if it does not ask any more.
    func event(ofAnswer reply: SenderReply?, effect: Payload) throws(CodingFailure) -> Payload?
    /// The event of a timer's route, or `nil` if the effect's route is not a timer any more.
    func event(ofTimer effect: Payload) throws(CodingFailure) -> Payload?
    /// The event that an effect is for another loop, or `nil` if its route does not lead to a loop any more.
    func event(ofDelivery effect: Payload) throws(CodingFailure) -> Payload?
    /// The pending effects that an effect with a `.cancels` route cancels, oldest first; unreadable ones are skipped.
    func cancelled(
        by effect: Payload, among underWay: [(id: EffectID, effect: Payload)]
    ) throws(CodingFailure) -> [EffectID]
    /// The plan of an effect from the journal, by the current routes.
    func plan(_ effect: Payload) throws(ProgramError) -> EffectPlan
}

/// A loop whose model and effects are also values, of its own program or of any of several.
package protocol ProgramLoop<Program>: AnyObject {
    associatedtype Program: LoopProgram

    /// The loop as payloads see it.
    var payloads: any PayloadLoop { get }
    var model: Program.Model { get }

    /// Applies an encoded event.
    ///
    /// - Parameter context: Called for a program that uses contexts only.
    func apply(
        _ event: Payload, in context: @autoclosure () -> LoopContext
    ) throws(CodingFailure) -> Change<Program.Effect>
    /// Effects as bytes, with the plans of their routes.
    ///
    /// - Throws: ``ProgramError`` for an effect without exactly one route, or that cannot be coded.
    func plan(_ effects: [Program.Effect]) throws(ProgramError) -> [PlannedEffect]
}

extension ProgramLoop {
    package var id: LoopID { payloads.id }
}
