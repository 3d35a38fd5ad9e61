package import MobiusEngine
package import MobiusJournal
package import MobiusWire

/// Answers requests, each once, on the driver's thread.
package protocol RequestPort: AnyObject {
    /// Answers a request; does nothing if it no longer waits.
    func answer(_ request: RequestID, _ answer: ClientAnswer) throws
}

/// Sends the driver's messages to workers, and its answers to clients.
///
/// Called on the driver's thread. It never blocks.
package protocol CoordinatorTransport: RequestPort {
    /// Sends a message to a worker; one that cannot be sent at once is dropped, and the protocol recovers.
    ///
    /// - Returns: whether the worker is connected.
    func send(_ envelope: Envelope<CoordinatorMessage>, to peer: Peer) throws -> Bool
}

/// Receives a driver's notifications for logs and metrics, on the driver's thread.
package protocol CoordinatorObserver: AnyObject {
    /// The machine reports a note for operators.
    func noted(_ note: CoordinatorNote)
    /// An effect has failed permanently.
    func failed(_ effect: EffectID, _ failure: EffectFailure)
    /// Orders were sent to a worker.
    func sent(_ orders: [EffectOrder], to peer: Peer, by machine: borrowing CoordinatorMachine)
    /// Records are about to be appended.
    func appending(
        _ ticket: Ticket, _ records: [JournalRecord], at now: Moment, by machine: borrowing CoordinatorMachine)
}

/// Answers senders in this process, whose events wait for their commit.
package protocol LocalSenders: RequestPort {
    /// The W3C trace context of a waiting sender, or empty.
    func traceparent(of request: RequestID) -> String
}

/// Runs the effects whose route is in the coordinator's process; their outcomes arrive as inputs of the host.
package protocol LocalHandlers: EffectHandlers {
    /// Cancels a running handler, cooperatively; its later reports come as before.
    func cancel(_ id: AttemptID)
    /// Cancels all running handlers, cooperatively.
    func cancelAll()
}

extension ClientAnswer {
    /// BUSY, because there is too much to do.
    static var overloaded: ClientAnswer { .busy(retryAfter: 100) }
    /// BUSY, because the coordinator stops.
    static var stopping: ClientAnswer { .busy(retryAfter: 1000) }

    /// The result for a sender in this process.
    package var confirmation: Result<EventConfirmation, CoordinatorError> {
        switch self {
        case .done(let confirmation): .success(confirmation)
        case .stopping: .failure(CoordinatorError(.stopped, "The coordinator is stopping."))
        case .busy: .failure(CoordinatorError(.busy, CoordinatorError.tooMuch))
        case .moved: .failure(.standsBy)
        case .refused(let refusal): .failure(CoordinatorError(refusal))
        case .notFound: .failure(CoordinatorError(.held, "This loop is not held."))
        default: .success(EventConfirmation(repeated: false))
        }
    }
}

extension RequestID {
    /// The first request number for clients; senders in this process are numbered from 1.
    package static let firstOfClients: UInt64 = 1 << 63
    /// Whether the request is from a client, not from a sender in this process.
    package var isOfClient: Bool { number >= Self.firstOfClients }
}
