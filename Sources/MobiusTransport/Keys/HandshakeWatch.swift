/// Detects from a connecting socket's failed handshakes that it can never connect, and why.
///
/// It is pure: events are its input.
package struct HandshakeWatch: Sendable {
    /// The reason why the connection can never succeed, as far as ZeroMQ reveals it.
    package enum Refusal: Hashable, Sendable {
        /// The coordinator has keys, but does not admit this one, or not at this endpoint.
        case notAdmitted
        /// The coordinator has no keys, and this peer requires them.
        case coordinatorHasNoKeys
        /// The coordinator requires a key, and this peer has none.
        case keyIsMissing
        /// The other side answers, but repeatedly breaks off when it has to prove that it is the coordinator.
        ///
        /// A side without keys can cause the same events: it may disconnect before it has sent its greeting.
        case otherCoordinator
    }

    /// The number of failed handshakes in a row after which the other side is taken for another coordinator.
    ///
    /// A forwarder whose coordinator is down breaks them off, too, and the coordinator may start later.
    package static let patience = 10

    private let hasKey: Bool
    private var wasAdmitted = false
    private var broken = 0

    package init(hasKey: Bool) {
        self.hasKey = hasKey
    }

    /// Handles an event; returns why further attempts are useless, if they are.
    package mutating func handle(_ event: MonitorEvent) -> Refusal? {
        switch event.kind {
        case .handshakeSucceeded: wasAdmitted = true
        case .handshakeFailed(.authentication): return .notAdmitted
        case .handshakeFailed(.protocolError) where event.isMechanismMismatch:
            return hasKey ? .coordinatorHasNoKeys : .keyIsMissing
        case .handshakeFailed(.noDetail) where hasKey && !wasAdmitted:
            broken += 1
            if broken >= Self.patience { return .otherCoordinator }
        case .connectRetried, .connectDelayed, .connected, .disconnected, .closed: break
        default: break
        }
        return nil
    }
}

extension HandshakeWatch.Refusal {
    /// The message for a worker's or client's operator, with what to do.
    package func sentence(at endpoint: String, key: PeerKey?) -> String {
        let whom = "The coordinator at \(endpoint)"
        let name = key.map { "'\($0.name)'" } ?? "of this peer"
        switch self {
        case .notAdmitted:
            return
                "\(whom) does not admit the key \(name): it was revoked, was never in its allow-list, or has no right to "
                + "this endpoint. See `mobius keys list` on its host."
        case .coordinatorHasNoKeys:
            return
                "\(whom) has no keys, and with the key \(name) nothing is said unencrypted. Start the coordinator with "
                + "--keys; or leave the key out (--key, --key-file, MOBIUS_KEY), which works on one machine only."
        case .keyIsMissing:
            return
                "\(whom) admits only peers with a key. Make one on its host, \(KeyDirectory.makingKeys(in: "DIR")), and "
                + "start with --key FILE (mobius: --key-file)."
        case .otherCoordinator:
            let times = "\(HandshakeWatch.patience) times of \(HandshakeWatch.patience)"
            return "\(whom) is not the one that the key \(name) was made for, or has no keys, as far as one can tell: "
                + "it breaks off \(times) when it has to prove that it holds the secret of "
                + "\(key?.coordinator ?? "its key"). Compare that with coordinator.pub on its host, or make a new key there."
        }
    }
}

extension PeerKey {
    /// Secures a socket that is not connected yet: it connects to the key's coordinator only, and authenticates with
    /// the key.
    package func lock(_ socket: borrowing Socket) throws(ZeroMQError) {
        try socket.useCurve(asClientWith: pair, serverKey: coordinator)
    }
}
