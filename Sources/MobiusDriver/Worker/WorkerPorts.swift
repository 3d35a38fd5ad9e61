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

/// Runs a worker's handlers.
package protocol WorkerHandlers: EffectHandlers {
    /// The kinds of the effects that the handlers read.
    var effectKinds: [PayloadKind] { get }
    /// When handlers that have not ended last reported progress.
    var progress: [AttemptID: Moment] { get }
    /// Asks a handler to stop.
    func cancel(_ id: AttemptID)
}

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
