import Dispatch
public import Logging
public import MobiusCore
public import MobiusEngine
import MobiusRuntime
public import MobiusWire
import Synchronization
import ZeroMQ

/// Lets plain loops send effects to worker processes: the smallest step from a loop in one process to a fleet.
///
/// ```swift
/// let routes = EffectRouter<Effect, Event>()
///     .routeCase(Effect.playSound).toWorkers("sound") { sound, failure in .soundFailed(sound, "\(failure)") }
///     .routeCase(Effect.log).to { line in print(line) }
/// let pool = try WorkerPool(routes, bind: "tcp://127.0.0.1:5701")
/// let loop = Mobius.loop(update: update, effectHandler: pool).start(from: model)
/// ```
///
/// The routes are the same value that a ``Coordinator`` takes, and the workers are the same programs. What differs is
/// memory: there is no journal, so when this process ends, its effects under way are lost. While it runs, an effect
/// waits for a worker for as long as it takes, and the effect of a lost worker goes to another one: it runs at least
/// once, always under the same `EffectID`. Events of one attempt arrive in the order in which they were
/// sent; of an attempt whose worker was lost, events may have arrived that the next attempt sends again. Timeouts,
/// attempts and `onFailure` are those of the route's `toWorkers`;
/// `executing` and `cancels` hold for effects at workers as for those in this process.
///
/// It listens on a socket thread of its own and keeps up with its workers whatever the loops do. Any number of loops
/// may be connected at the same time, and each as often as it likes, one after the other. Routes to this process run
/// as `EffectRouter.connect(_:)` of MobiusCore says. Events from workers, and those of `onFailure`, are delivered on a
/// serial queue that each loop has of its own, so a slow `update` holds up nobody else. When `dispose()` of a loop's
/// connection returns, nothing is delivered any more, and its workers are being told to cancel its effects.
///
/// The pool closes when it is told to, or when the last reference is gone; the connections of loops are references.
public final class WorkerPool<Effect: Codable & Sendable, Event: Codable & Sendable>: Connectable {
    /// Where workers connect, with the port that the system chose.
    public let endpoint: String

    private let routes: EffectRouter<Effect, Event>
    private let door: PoolDoor<Event>
    private let thread: SocketThread
    private let lastLoop = Atomic<UInt64>(0)

    /// Listens for workers, on return.
    ///
    /// - Parameters:
    ///   - routes: Exactly one route for each effect: `toWorkers`, or a handler in this process.
    ///   - bind: The ZeroMQ endpoint to listen on; a port `*` lets the system choose.
    ///   - keys: The folder of its keys, as for a ``Coordinator``: needed when other hosts can reach the endpoint.
    ///   - timing: How long the pool and its workers wait for each other.
    ///   - maximumPayload: The largest effect or event in bytes: 4 MiB, and at most 256 MiB. A larger one fails its effect.
    ///   - logger: What it logs with: at `info` only what is rare.
    /// - Throws: ``CoordinatorError`` with the code `endpoint` when nothing can listen there, `security` when keys are missing.
    public init(
        _ routes: EffectRouter<Effect, Event>, bind: String = CoordinatorSettings.defaultEndpoint,
        keys: String? = nil, timing: SessionTiming = SessionTiming(), maximumPayload: UInt32 = PayloadLimit.standard,
        logger: Logger = Logger(label: "pool")
    ) throws(CoordinatorError) {
        let door = PoolDoor<Event>()
        let thread = SocketThread(name: "pool")
        let listening = Handover<Result<String, CoordinatorError>>()
        thread.start { _ in
            PoolThread<Event>(
                bind: bind, timing: timing,
                maximumPayload: min(maximumPayload, PayloadLimit.range.upperBound),
                security: EdgeSecurity(keys: keys, connections: 4096), logger: logger
            )
            .run(door) { listening.give($0) }
        }
        endpoint = try listening.take().get()
        self.routes = routes
        self.door = door
        self.thread = thread
    }

    deinit {
        close()
    }

    /// Connects a loop, beside others.
    @preconcurrency
    public func connect(_ consumer: @escaping Consumer<Event>) -> Connection<Effect> {
        let number = lastLoop.add(1, ordering: .relaxed).newValue
        let link = PoolLink<Effect, Event>(number: number, door: door)
        let connection = routes.connect(consumer) { route, effect, callback in
            link.send(effect, by: route, callback)
        }
        return Connection(
            acceptClosure: { effect in connection.accept(effect) },
            disposeClosure: { [self] in
                link.close()  // before its effects are cancelled one by one, lest one gives another's place to a third
                connection.dispose()
                withExtendedLifetime(self) {}  // an open connection keeps the pool
            })
    }

    /// Closes the pool: workers are told to cancel what they hold and to wait for the next one, and its port is let go.
    ///
    /// It returns at once; see ``closed()``. From any thread, any number of times. For loops that are still connected
    /// all effects at workers have failed then, and so do those that they ask for later; routes to this process go on.
    public func close() {
        door.post(.stop)
    }

    /// Waits until the pool is closed: the workers have been told and another pool may listen in its place.
    public func closed() async {
        await thread.finished()
    }
}
