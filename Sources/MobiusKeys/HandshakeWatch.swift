package import ZeroMQ

/// Makes sense of the handshakes of a connecting socket that fail: those that will never succeed, and why.
///
/// Pure: events come in.
package struct HandshakeWatch: Sendable {
    /// Why a coordinator and this peer never get together, as far as ZeroMQ lets one tell.
    package enum Refusal: Hashable, Sendable {
        /// The coordinator knows keys, and not this one; or not for this endpoint.
        case notAdmitted
        /// The coordinator has no keys; this peer talks to nobody without.
        case coordinatorHasNoKeys
        /// The coordinator wants a key; this peer has none.
        case keyIsMissing
        /// Somebody answers, again and again, and breaks off as soon as he would have to prove that he is the coordinator.
        ///
        /// One without keys can look like that, too: he may hang up before what he has to say of himself is on its way.
        case otherCoordinator
    }

    /// After how many broken handshakes in a row, without a single good one, the other side is taken for another coordinator.
    ///
    /// A forwarder whose coordinator is down breaks them off, too; and then it may come up.
    package static let patience = 10

    private let hasKey: Bool
    private var wasAdmitted = false
    private var broken = 0

    package init(hasKey: Bool) {
        self.hasKey = hasKey
    }

    /// Takes an event in; answers why there is no use in going on.
    package mutating func take(_ event: MonitorEvent) -> Refusal? {
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
    /// What happened and what to do, for a worker or client.
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
    /// Locks a socket that is not connected yet: it talks to the key's coordinator only, and proves that it has the key.
    package func lock(_ socket: borrowing Socket) throws(ZeroMQError) {
        try socket.useCurve(asClientWith: pair, serverKey: coordinator)
    }
}
