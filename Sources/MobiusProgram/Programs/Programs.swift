public import MobiusCore

/// The programs of a coordinator, each with loops of its own kind.
///
/// ```swift
/// /// Marked with `@main` in an executable of its own.
/// struct HaulageFirm: CoordinatorCommand {
///     var programs: Programs {
///         Shipment.self
///         Depot.self
///     }
/// }
/// ```
///
/// The name of a loop decides which program runs it. Loops of different programs share workers, journal and limits, and
/// send each other events.
///
/// As a type it stands for "any of the programs": models, events and effects have their types erased.
public struct Programs: Sendable {
    let entries: [Entry]

    /// One program of a list.
    public struct Entry: Sendable {
        let kind: LoopKind
        /// Makes its functions, with or without a look at its routes.
        let functions: @Sendable (_ isRouted: Bool) -> any ProgramFunctions<Programs>

        init<Program: FleetProgram>(
            _ program: Program.Type, isRetired: Bool = false,
            _ routes: @escaping @Sendable () -> EffectRouter<Program.Effect, Program.Event>
        ) {
            kind = Program.kind
            precondition(
                Program.maximumLoops ?? 1 >= 1, "The program of the kind \(kind) has 1 loop at least: see maximumLoops."
            )
            functions = { ProgramOfSeveral<Program>($0 ? routes() : EffectRouter(), isRetired: isRetired) }
            retirement = { Self(program, isRetired: true, routes) }
        }

        private let retirement: @Sendable () -> Self

        /// The same program, retired: see ``FleetProgram/retired``.
        public var retired: Entry { retirement() }
    }

    /// Lists programs, which are of different kinds; that two are of one kind is a programmer error and traps.
    public init(@ProgramsBuilder _ programs: () -> Programs) {
        self = programs()
    }

    init(_ entries: [Entry]) {
        for (place, entry) in entries.enumerated() where entries[..<place].contains(where: { $0.kind == entry.kind }) {
            preconditionFailure("Two programs have loops of the kind \(entry.kind): each kind has one program.")
        }
        self.entries = entries
    }

    /// The kinds of loops, in the order of the list.
    public var kinds: [LoopKind] { entries.map(\.kind) }
}

/// Makes a list of programs.
@resultBuilder
public enum ProgramsBuilder {
    /// A program with its own routes.
    public static func buildExpression<Program: FleetProgram>(_ program: Program.Type) -> [Programs.Entry] {
        [Programs.Entry(program) { Program.routes }]
    }

    /// A program with other routes.
    public static func buildExpression(_ entry: Programs.Entry) -> [Programs.Entry] { [entry] }

    /// Programs one after the other.
    public static func buildBlock(_ entries: [Programs.Entry]...) -> [Programs.Entry] { entries.flatMap(\.self) }

    /// Programs that are there under a condition only.
    public static func buildOptional(_ entries: [Programs.Entry]?) -> [Programs.Entry] { entries ?? [] }

    /// Programs of the first branch.
    public static func buildEither(first entries: [Programs.Entry]) -> [Programs.Entry] { entries }

    /// Programs of the second branch.
    public static func buildEither(second entries: [Programs.Entry]) -> [Programs.Entry] { entries }

    /// The whole list.
    public static func buildFinalResult(_ entries: [Programs.Entry]) -> Programs { Programs(entries) }
}

// MARK: - Any of the programs

/// A value of one of several programs, whose type is erased.
///
/// It is coded as the value itself. It cannot be decoded: which type it would have only its loop decides.
public struct ErasedValue: Codable, Sendable, CustomStringConvertible {
    /// The value.
    public let value: any Codable & Sendable

    package init(_ value: any Codable & Sendable) {
        self.value = value
    }

    /// Throws: the type is not known.
    public init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
            .init(codingPath: decoder.codingPath, debugDescription: "its program is not known"))
    }

    /// Encodes the value itself.
    public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }

    /// The description of the value.
    public var description: String { "\(value)" }

    /// Returns the value in an erased one, and any other value itself.
    package static func content(of value: any Sendable) -> any Sendable { (value as? ErasedValue)?.value ?? value }

    /// The value as what it is; it is a programmer error to take it for another type.
    package func unwrapped<Value>(_ type: Value.Type = Value.self) -> Value {
        guard let value = value as? Value else {
            preconditionFailure("A \(Swift.type(of: value)) is taken for a \(type): its loop is of another kind.")
        }
        return value
    }
}

extension Programs: LoopProgram {
    /// The model of any of the programs.
    public typealias Model = ErasedValue
    /// An event of any of the programs.
    public typealias Event = ErasedValue
    /// An effect of any of the programs.
    public typealias Effect = ErasedValue

    /// Not to be called: a loop's name decides how it begins.
    public static func initiate() -> First<ErasedValue, ErasedValue> {
        preconditionFailure("Several programs begin by the names of their loops: run them in a coordinator.")
    }

    /// Not to be called: a loop's name decides its update.
    public static func update(_ model: ErasedValue, _ event: ErasedValue) -> Next<ErasedValue, ErasedValue> {
        preconditionFailure("Several programs are updated by the names of their loops: run them in a coordinator.")
    }

    /// Whether a program may use contexts.
    public static var _usesContext: Bool { true }
}
