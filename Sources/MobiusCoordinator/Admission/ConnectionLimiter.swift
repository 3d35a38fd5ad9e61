import MobiusEngine
import MobiusTransport

/// Enforces the limits on one socket's connections; made and used on the socket thread.
final class ConnectionLimiter {
    /// The time for which a connection that must end is kept, so that it can receive the reason.
    static let dismissalDelay = Duration.seconds(2)
    /// The time limit of libzmq's handshake with a peer.
    static let handshakeTime = Duration.seconds(3)

    /// The rights of keys; `nil` for a socket without keys.
    let admission: Admission?
    private var ledger: ConnectionLedger
    private var connections: [CInt: SocketConnection] = [:]
    private var seen: Int
    /// The number of connections that were ended because of a limit.
    private(set) var endedCount = 0

    init(_ admission: Admission?, _ limits: ConnectionLedger.Limits) {
        self.admission = admission
        ledger = ConnectionLedger(limits)
        seen = admission?.version ?? 0
    }

    /// The time at which ``endOverdue(at:)`` must be called.
    var nextDeadline: Moment? { ledger.nextDeadline }

    /// Whether a connection is overdue, or the allow-list has changed.
    func isDue(at now: Moment) -> Bool {
        ledger.nextDeadline.map { $0 <= now } == true || admission.map { $0.version != seen } == true
    }

    /// Handles an event of the socket's monitor; returns whether a connection ended that had sent a message.
    func handle(_ event: MonitorEvent, at now: Moment) -> Bool {
        let descriptor = CInt(truncatingIfNeeded: event.value)
        switch event.kind {
        case .accepted:
            connections[descriptor] = SocketConnection(descriptor)
            if let extra = ledger.accepted(descriptor, at: now) { end(extra) }
            return false
        case .disconnected:
            connections[descriptor] = nil
            return ledger.ended(descriptor)
        default: return false
        }
    }

    /// Notes that a message's connection is active; returns whether the connection is identified.
    func noteActivity(_ message: borrowing Message) -> Bool {
        guard let descriptor = message.descriptor else { return true }
        guard ledger.isKnown(descriptor) else { return false }
        ledger.noteActivity(descriptor)
        return true
    }

    /// Identifies a message's connection; returns `false` if there are too many connections with its key.
    ///
    /// Another connection may be ended for it.
    func introduce(_ message: borrowing Message, key: String?, _ peer: Peer?, at now: Moment) -> Bool {
        guard let descriptor = message.descriptor else { return true }
        if connections[descriptor] == nil { connections[descriptor] = SocketConnection(descriptor) }
        let isOperator = key.map { admission?.isOperator($0) == true } ?? false
        switch ledger.introduce(descriptor, key: key, peer, isOperator: isOperator, at: now) {
        case .welcome: return true
        case .refused: return false
        case .instead(let idlest):
            end(idlest)
            return true
        }
    }

    /// Ends the connection of a message after ``dismissalDelay``.
    func dismiss(_ message: borrowing Message, at now: Moment) {
        guard let descriptor = message.descriptor else { return }
        ledger.dismiss(descriptor, at: now + Self.dismissalDelay)
    }

    /// Ends the connections that have been silent for too long, and those whose dismissal is due.
    func endOverdue(at now: Moment) {
        for descriptor in ledger.overdue(at: now) { end(descriptor) }
    }

    /// After a change of the allow-list: returns the connections whose keys are no longer allowed, each once.
    ///
    /// They end after ``dismissalDelay``.
    func takeRevoked(
        at now: Moment, isAllowed: (_ key: String, _ peer: Peer?) -> Bool
    ) -> [(key: String, peer: Peer?)] {
        guard let version = admission?.version, version != seen else { return [] }
        seen = version
        let revoked = ledger.holders.filter { !isAllowed($0.key, $0.peer) }
        for holder in revoked { ledger.dismiss(holder.descriptor, at: now + Self.dismissalDelay) }
        return revoked.map { ($0.key, $0.peer) }
    }

    private func end(_ descriptor: CInt) {
        endedCount += 1
        connections[descriptor]?.end()
    }
}
