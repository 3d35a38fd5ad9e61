package import MobiusEngine
package import MobiusRuntime
package import MobiusWire

/// A worker's connection to its coordinator: a socket in production, a simulated link in tests.
///
/// The driver calls it on the driver's thread. It must not call the driver back before it returns. The transport stores
/// permanent failures, and its owner then ends the worker. A message that cannot be sent at once is dropped, because
/// the protocol recovers from losses.
package protocol WorkerTransport: AnyObject {
    /// Starts to connect, with a new socket, to this endpoint; `nil` for the only one that it has.
    func connect(to endpoint: String?)
    /// Closes the socket; there is no reconnection before ``connect(to:)``.
    func disconnect()
    /// Sends a message, encoded as `frame`, if that is possible at once; otherwise drops it.
    func send(_ message: WorkerMessage, as frame: [UInt8])
}

/// Runs a worker's handlers.
package protocol WorkerHandlers: EffectHandlers {
    /// The payload kinds of the effects that the handlers decode.
    var effectKinds: [PayloadKind] { get }
    /// The time at which each running handler last reported progress.
    var progress: [AttemptID: Moment] { get }
    /// Cancels a handler, cooperatively.
    func cancel(_ id: AttemptID)
}

/// Receives a worker driver's notifications; in production they become log lines and metrics.
package protocol WorkerObserver: AnyObject {
    /// A message arrived.
    func received(_ message: CoordinatorMessage)
    /// Handlers are about to start.
    func begins(_ orders: [EffectOrder], at now: Moment)
    /// A handler has ended, with a failure or without one.
    func ended(_ id: AttemptID, _ failure: HandlerFailure?, at now: Moment)
    /// The machine reports a note for operators.
    func note(_ note: WorkerNote)
}
