import Dispatch
public import Logging
public import MobiusCore
public import MobiusEngine
import MobiusRuntime
import MobiusTransport
public import MobiusWire
import Synchronization

/// Lets plain Mobius loops send effects to worker processes, without a coordinator and a journal.
///
/// ```swift
/// let routes = EffectRouter<Effect, Event>()
///     .routeCase(Effect.playSound).toWorkers("sound") { sound, failure in .soundFailed(sound, "\(failure)") }
///     .routeCase(Effect.log).to { line in print(line) }
/// let pool = try WorkerPool(routes, bind: "tcp://127.0.0.1:5701")
/// let loop = Mobius.loop(update: update, effectHandler: pool).start(from: model)
/// ```
///
/// The routes are the same value that a ``Coordinator`` takes, and the workers are the same programs. The difference is
/// durability: there is no journal, so when this process ends, its pending effects are lost. While it runs, an effect
/// waits for a worker without a time limit, and the effect of a lost worker goes to another one: it runs at least once,
/// always with the same `EffectID`. Events of one attempt arrive in the order in which they were sent. If the worker of
/// an attempt was lost, the next attempt may send events again that have already arrived. Timeouts, attempts and
/// `onFailure` are those of the route's `toWorkers`; `executing` and `cancels` apply to effects at workers as to those
/// in this process.
///
/// The pool listens on a dedicated socket thread, which no loop can block. Any number of loops may be connected at the
/// same time, and each loop any number of times, one after the other. Routes to this process run as documented for
/// `EffectRouter.connect(_:)` of MobiusCore. Events from workers, and those of `onFailure`, are delivered on one serial
/// queue per loop, so a slow `update` does not delay other loops. After `dispose()` of a loop's connection has
/// returned, nothing more is delivered, and the cancellations of its effects are on their way to the workers.
///
/// The pool closes on ``close()``, or when its last reference is released; the connections of loops are references.
public final class WorkerPool<Effect: Codable & Sendable, Event: Codable & Sendable>: Connectable {
    /// The endpoint that workers connect to, with the actual port.
    public let endpoint: String

    private let routes: EffectRouter<Effect, Event>
    private let mailbox: PoolMailbox<Event>
    private let thread: SocketThread
    private let lastLoop = Atomic<UInt64>(0)

    /// Makes a pool, which listens for workers when the initializer returns.
    ///
    /// - Parameters:
    ///   - routes: Exactly one route for each effect: `toWorkers`, or a handler in this process.
    ///   - bind: The ZeroMQ endpoint to listen on; with the port `*` the system chooses a free one.
    ///   - keys: The folder with its keys, as for a ``Coordinator``; required when other hosts can reach the endpoint.
    ///   - timing: The timeouts between the pool and its workers.
    ///   - maximumPayload: The largest effect or event in bytes: 4 MiB by default, at most 256 MiB. A larger one fails
    ///     its effect.
    ///   - logger: The logger; lines at `info` are rare.
    /// - Throws: ``CoordinatorError`` with the code `endpoint` when the endpoint cannot be bound, or `security` when
    ///   keys are missing or cannot be used.
    public init(
        _ routes: EffectRouter<Effect, Event>, bind: String = CoordinatorSettings.defaultEndpoint,
        keys: String? = nil, timing: SessionTiming = SessionTiming(), maximumPayload: UInt32 = PayloadLimit.standard,
        logger: Logger = Logger(label: "pool")
    ) throws(CoordinatorError) {
        let mailbox = PoolMailbox<Event>()
        let thread = SocketThread(name: "pool")
        let listening = Handover<Result<String, CoordinatorError>>()
        thread.start {
            PoolThread<Event>(
                bind: bind, timing: timing,
                maximumPayload: min(maximumPayload, PayloadLimit.range.upperBound),
                security: EdgeSecurity(keys: keys, connections: 4096), logger: logger
            )
            .run(mailbox) { listening.give($0) }
        }
        endpoint = try listening.take().get()
        self.routes = routes
        self.mailbox = mailbox
        self.thread = thread
    }

    deinit {
        close()
    }

    /// Connects a loop; others may be connected at the same time.
    ///
    /// The connection keeps the pool open until it is disposed of.
    @preconcurrency
    public func connect(_ consumer: @escaping Consumer<Event>) -> Connection<Effect> {
        let number = lastLoop.add(1, ordering: .relaxed).newValue
        let link = PoolConnection<Effect, Event>(number: number, mailbox: mailbox)
        let connection = routes.connect(consumer) { route, effect, callback in
            link.send(effect, by: route, callback)
        }
        return Connection(
            acceptClosure: { effect in connection.accept(effect) },
            disposeClosure: { [self] in
                // First, because cancelling its effects one by one could start others of them that wait for a place.
                link.close()
                connection.dispose()
                withExtendedLifetime(self) {}  // an open connection keeps the pool open
            })
    }

    /// Closes the pool: workers cancel the effects they hold and wait for the next pool, and the port is released.
    ///
    /// It returns at once; use ``closed()`` to wait. It may be called from any thread, any number of times. For loops
    /// that are still connected, all pending and later effects at workers fail. Routes to this process still work.
    public func close() {
        mailbox.post(.stop)
    }

    /// Waits until the pool is closed: the workers have been notified, and another pool may bind the endpoint.
    public func closed() async {
        await thread.finished()
    }
}
