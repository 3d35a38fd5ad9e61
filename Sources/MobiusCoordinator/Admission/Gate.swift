import MobiusEngine
import ZeroMQ

/// The connections of one socket and the limits that hold for them; made and used on the socket thread.
final class Gate {
    /// For how long a connection that must go is kept, so that it hears why.
    static let lastWords = Duration.seconds(2)
    /// How long a peer may take to introduce itself to libzmq.
    static let handshakeTime = Duration.seconds(3)

    /// Whose keys are asked for; `nil` for a socket without keys.
    let admission: Admission?
    private var ledger: ConnectionLedger
    private var connections: [CInt: SocketConnection] = [:]
    private var seen: Int
    /// Connections that ended because there were too many, or for their silence.
    private(set) var endedCount = 0

    init(_ admission: Admission?, _ limits: ConnectionLedger.Limits) {
        self.admission = admission
        ledger = ConnectionLedger(limits)
        seen = admission?.version ?? 0
    }

    /// When ``endOverdue(at:)`` must be called.
    var nextDeadline: Moment? { ledger.nextDeadline }

    /// Whether a connection's time is over, or the allow-list has changed.
    func isDue(at now: Moment) -> Bool {
        ledger.nextDeadline.map { $0 <= now } == true || admission.map { $0.version != seen } == true
    }

    /// Takes an event of the socket's monitor in; says whether a connection ended that had said something.
    func take(_ event: MonitorEvent, at now: Moment) -> Bool {
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

    /// Whether the connection of a message has said who it is; it is the least idle now.
    func hear(_ message: borrowing Message) -> Bool {
        guard let descriptor = message.descriptor else { return true }
        guard ledger.isKnown(descriptor) else { return false }
        ledger.hear(descriptor)
        return true
    }

    /// Remembers who a message's connection is; `false` when there are too many of its key.
    ///
    /// Another connection may end for it.
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

    /// Ends the connection of a message, a moment later.
    func dismiss(_ message: borrowing Message, at now: Moment) {
        guard let descriptor = message.descriptor else { return }
        ledger.dismiss(descriptor, at: now + Self.lastWords)
    }

    /// Ends what has been silent, or told to go, for too long.
    func endOverdue(at now: Moment) {
        for descriptor in ledger.overdue(at: now) { end(descriptor) }
    }

    /// When the allow-list has changed: those whose keys may not come here any more, each once; they end a moment later.
    func takeRevoked(
        at now: Moment, isAllowed: (_ key: String, _ peer: Peer?) -> Bool
    ) -> [(key: String, peer: Peer?)] {
        guard let version = admission?.version, version != seen else { return [] }
        seen = version
        let revoked = ledger.holders.filter { !isAllowed($0.key, $0.peer) }
        for holder in revoked { ledger.dismiss(holder.descriptor, at: now + Self.lastWords) }
        return revoked.map { ($0.key, $0.peer) }
    }

    private func end(_ descriptor: CInt) {
        endedCount += 1
        connections[descriptor]?.end()
    }
}
