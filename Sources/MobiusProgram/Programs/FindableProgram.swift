public import MobiusCore
public import MobiusWire

/// A program whose loops are found by facts of their models.
///
/// ```swift
/// extension Order: FindableProgram {
///     static func facts(_ model: Model) -> Facts {
///         ["stage": model.stage, "customer": model.customer, "total": model.total, "due": model.due]
///     }
/// }
/// ```
///
/// `mobius loops order/ --where 'stage = waiting and total > 100' --sort due` lists such loops, and so do `FleetClient` and
/// `GET /loops`.
///
/// Facts are written in the same transaction as the events that changed them, also those with which a loop ends. The first start of
/// another build of the program computes them anew for all loops that are kept, in the background, from their records. They are not
/// masked (`RedactingProgram`): leave out what people must not see.
public protocol FindableProgram: LoopProgram {
    /// Returns the facts by which a loop with this model is found: a pure function, like `update`.
    ///
    /// Called on the coordinator's thread for each loop of a commit, so it should take microseconds, and on another one for loops of
    /// earlier builds. Where it traps the loop has no facts until another build runs, and after three traps no loop has.
    static func facts(_ model: Model) -> Facts
}

/// Computes facts as their program does.
package struct ProgramFacts<Program: LoopProgram>: Sendable {
    private let find: @Sendable (Program.Model) -> Facts

    /// The program's own; `nil` for a program that declares none.
    package static var chosen: Self? {
        func finder<Findable: FindableProgram>(_ program: Findable.Type) -> Any {
            ProgramFacts<Findable> { Findable.facts($0) }
        }
        return (Program.self as? any FindableProgram.Type).flatMap { finder($0) as? Self }
    }

    private init(_ find: @escaping @Sendable (Program.Model) -> Facts) {
        self.find = find
    }

    /// Returns the facts of a model.
    package func callAsFunction(_ model: Program.Model) -> Facts { find(model) }
}
