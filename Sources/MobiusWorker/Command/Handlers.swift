public import MobiusCore
import MobiusRuntime

/// The handlers of a worker that works for several programs.
///
/// ```swift
/// /// Marked with `@main` in an executable of its own.
/// struct Driver: WorkerCommand {
///     static let pool = "drivers"
///
///     var handlers: Handlers {
///         Shipment.drivers
///         // … and the handlers of other programs whose effects go to this pool.
///     }
/// }
/// ```
///
/// The type of an effect decides whose handler runs it.
public struct Handlers: Sendable {
    let routers: [ErasedRouter]

    /// Lists routers, of which each has effects of a type of its own; that two have the same is a programmer error and traps.
    public init(@HandlersBuilder _ handlers: () -> Handlers) {
        self = handlers()
    }

    init(_ routers: [ErasedRouter]) {
        var known: Set<String> = []
        for router in routers {
            precondition(
                known.insert(router.typeName).inserted,
                "Two routers have handlers for effects of the type \(router.typeName).")
        }
        self.routers = routers
    }
}

/// Makes a list of routers.
@resultBuilder
public enum HandlersBuilder {
    /// The handlers of one router.
    public static func buildExpression<Effect: Codable & Sendable, Event: Codable & Sendable>(
        _ router: EffectRouter<Effect, Event>
    ) -> Handlers {
        Handlers([ErasedRouter(router)])
    }

    /// Routers one after the other.
    public static func buildBlock(_ handlers: Handlers...) -> Handlers { Handlers(handlers.flatMap(\.routers)) }

    /// Routers that are there under a condition only.
    public static func buildOptional(_ handlers: Handlers?) -> Handlers { handlers ?? Handlers([]) }

    /// Routers of the first branch.
    public static func buildEither(first handlers: Handlers) -> Handlers { handlers }

    /// Routers of the second branch.
    public static func buildEither(second handlers: Handlers) -> Handlers { handlers }
}
