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
