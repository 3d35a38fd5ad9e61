import MobiusDriver
import MobiusEngine
import MobiusTransport
import MobiusWire

// The rights of workers' keys: checked at HELLO, and again when the allow-list changes.
extension CoordinatorEdge {
    /// Passes a worker's HELLO to the machine, unless the worker's key does not permit its pools.
    func greet(_ hello: Hello, in envelope: Envelope<WorkerMessage>, from peer: Peer) throws {
        try watchConnections()  // the monitor's event for the connection precedes its HELLO
        let key = gate.admission == nil ? nil : message.property("User-Id")
        var refusal = gate.admission?.refusal(ofWorkerWith: key, for: hello.pools)
        if let key, refusal == nil, observer.owners[hello.incarnation, default: key] != key {
            refusal = "a worker with another key has this incarnation"
        }
        if refusal == nil, !gate.introduce(message, key: key, peer, at: driver.now) {
            refusal = "there are too many connections with this key"
        }
        if let refusal {
            gate.dismiss(message, at: driver.now)
            return try driver.tell(.refused(peer, reason: CoordinatorMessage.forbidden + refusal))
        }
        // Before the machine admits it and notes that; removed if it does not.
        let incarnation = hello.incarnation
        if !hello.name.isEmpty { observer.names[incarnation] = hello.name }
        defer { if !driver.machine.isHere(incarnation) { observer.names[incarnation] = nil } }
        guard let key, let rights = gate.admission?.entry(key)?.rights else {
            return try driver.tell(.received(envelope, from: peer))
        }
        var hello = hello
        // A worker can end any effect that it claims to hold, so claims on pools without a right are removed.
        hello.held.removeAll { held in
            driver.machine.pool(of: held.id.effect).map { !rights.pools.contains($0) } ?? false
        }
        try driver.tell(
            .received(
                Envelope(epoch: envelope.epoch, session: envelope.session, message: .hello(hello)), from: peer))
        // A worker that the machine did not admit never leaves, so its entry would never be removed.
        if driver.machine.isHere(hello.incarnation) { observer.owners[hello.incarnation] = key }
    }

    /// Ends the sessions of workers whose keys were revoked, or lost the right to a pool that the worker serves.
    func watchKeys() throws {
        guard let admission = gate.admission else { return }
        let revoked = gate.takeRevoked(at: driver.now) { key, peer in
            admission.refusal(ofWorkerWith: key, for: peer.map { driver.machine.pools(of: $0) } ?? []) == nil
        }
        for case (let key, let peer?) in revoked {
            let reason =
                admission.refusal(ofWorkerWith: key, for: driver.machine.pools(of: peer)) ?? "its rights have changed"
            try driver.tell(.refused(peer, reason: CoordinatorMessage.forbidden + reason))
        }
    }
}
