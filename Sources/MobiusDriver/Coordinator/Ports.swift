package import MobiusEngine
package import MobiusJournal
package import MobiusWire

/// The driver's way to workers and clients.
///
/// It sends on the driver's thread and never waits.
package protocol CoordinatorTransport: AnyObject {
    /// Sends a message to a worker; what cannot be sent at once is lost, and the protocol repairs that.
    ///
    /// - Returns: whether the worker is connected.
    func send(_ envelope: Envelope<CoordinatorMessage>, to peer: Peer) throws -> Bool
    /// Answers a client's request; one that does not wait any more is passed over.
    func answer(_ request: RequestID, _ answer: ClientAnswer) throws
}

/// Told of what a driver does, for logs and metrics; on the driver's thread.
package protocol CoordinatorObserver: AnyObject {
    /// Something that operators should know.
    func noted(_ note: CoordinatorNote)
    /// An effect has failed for good.
    func failed(_ effect: EffectID, _ failure: EffectFailure)
    /// Orders were sent to a worker.
    func sent(_ orders: [EffectOrder], to peer: Peer, by machine: borrowing CoordinatorMachine)
    /// Records are about to be appended.
    func appending(
        _ ticket: Ticket, _ records: [JournalRecord], at now: Moment, by machine: borrowing CoordinatorMachine)
}

/// Answers the senders in this process whose events wait for their commit; on the driver's thread.
package protocol SenderDesk: AnyObject {
    /// Answers a sender; one that does not wait any more is passed over.
    func answer(_ request: RequestID, _ result: Result<Void, CoordinatorError>)
    /// The W3C trace context that a sender who waits came with, or empty.
    func traceparent(of request: RequestID) -> String
}

/// Runs the effects of a coordinator's own routes; their outcomes come back as inputs of the host.
package protocol LocalHandlers: EffectHandlers {
    /// Asks all handlers to stop.
    func cancelAll()
}

extension RequestID {
    /// The first number of clients' requests: those of senders in this process count from 1.
    package static let firstOfClients: UInt64 = 1 << 63
    /// Whether a client asked, and not a sender in this process.
    package var isOfClient: Bool { number >= Self.firstOfClients }
}
