public import MobiusCore

/// A program that runs beside others in one coordinator: one kind of loops, with its routes.
///
/// ```swift
/// extension Shipment: FleetProgram {
///     static let kind: LoopKind = "shipment"
///     static let routes = EffectRouter<Effect, Event>()
///         .routeCase(Effect.drive).toWorkers("drivers") { _, failure in .failed(failure.description) }
///         .routeCase(Effect.report).toLoop { shipment in (Address<Depot>.only, .delivered(shipment: shipment)) }
/// }
/// ```
///
/// Loops of that kind are named `shipment/4711`, or just `shipment`. A coordinator lists its programs: see ``Programs``.
public protocol FleetProgram: LoopProgram {
    /// The kind of its loops; never to be changed, because it is in the names of all loops in the journal.
    static var kind: LoopKind { get }

    /// The route of each effect; every effect needs exactly one.
    static var routes: EffectRouter<Effect, Event> { get }

    /// The most loops of the kind in a shard, 1 or more; `nil`, the default, for as many as the coordinator may have.
    ///
    /// With 1 it is the loop that is named as the kind, ``Address/only``, and no other begins. Loops that have ended and are kept
    /// count. An event that would begin one more is refused, as at the limit of all loops (`--max-loops`); loops that are there when a
    /// limit is lowered go on. A coordinator that runs this program alone, without ``Programs``, ignores it. 0 or less is a programmer
    /// error and traps.
    static var maximumLoops: Int? { get }
}

extension FleetProgram {
    /// No limit of its own.
    public static var maximumLoops: Int? { nil }
}

extension FleetProgram where Effect == Never {
    /// None, because the program asks for nothing.
    public static var routes: EffectRouter<Effect, Event> { EffectRouter() }
}

extension FleetProgram {
    /// The program with other routes than ``routes``, such as ones that depend on an option of the command.
    ///
    /// - Parameter routes: Read when the coordinator starts.
    public static func routed(
        by routes: @autoclosure @escaping @Sendable () -> EffectRouter<Effect, Event>
    ) -> Programs.Entry {
        Programs.Entry(Self.self, routes)
    }

    /// The program for the loops that it has, which go on to their end: none begins any more.
    ///
    /// List it so until its last loop has ended. Without it in the list its loops are held.
    public static var retired: Programs.Entry { routed(by: routes).retired }
}
