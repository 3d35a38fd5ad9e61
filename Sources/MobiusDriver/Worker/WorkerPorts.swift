package import MobiusEngine
package import MobiusRuntime
package import MobiusWire

/// The connection of a worker to its coordinator: of sockets in production, of simulated links in tests.
///
/// The driver calls it on its own thread and expects no call back before it returns. What fails for good is kept by the
/// transport, whose owner ends the worker; what cannot be sent now is dropped, because the protocol repairs losses.
package protocol WorkerTransport: AnyObject {
    /// Begins to connect, with a new socket.
    func connect()
    /// Closes the socket; nothing connects until ``connect()``.
    func disconnect()
    /// Sends a message, whose bytes are `frame`, if that is possible at once.
    func send(_ message: WorkerMessage, as frame: [UInt8])
}

/// What runs a worker's handlers.
///
/// The driver calls it on its own thread. Each attempt ends once, by an outcome that its owner hands to
/// ``WorkerDriver/take(_:at:)``.
package protocol WorkerHandlers: AnyObject {
    /// What the effects are that they read.
    var effectKinds: [PayloadKind] { get }
    /// Whether each attempt has a span.
    var isTracing: Bool { get }
    /// When handlers last reported progress: those that did, and have not ended.
    var progress: [AttemptID: Moment] { get }
    /// Begins handlers, in this order; never waits.
    func run(_ orders: consuming [EffectOrder])
    /// The W3C trace context of an attempt's events, or empty.
    func traceparent(of id: AttemptID) -> String
    /// Asks a handler to stop.
    func cancel(_ id: AttemptID)
    /// So many events of a handler that goes on, with so many bytes, are acknowledged: it may send as many more.
    func acknowledged(_ id: AttemptID, events: Int, bytes: Int)
    /// Forgets a handler that has ended.
    func ended(_ id: AttemptID)
}

extension EffectRunner: WorkerHandlers {}

/// Records what a worker does: as log lines and metrics in production.
package protocol WorkerObserver: AnyObject {
    /// A message came.
    func received(_ message: CoordinatorMessage)
    /// Handlers are about to begin.
    func begins(_ orders: [EffectOrder], at now: Moment)
    /// A handler has ended, with a failure or without one.
    func ended(_ id: AttemptID, _ failure: HandlerFailure?, at now: Moment)
    /// The machine has a note for operators.
    func note(_ note: WorkerNote)
}
