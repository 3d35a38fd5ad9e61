package import MobiusTransport
import MobiusWire
import Synchronization

/// The rights of keys, according to the current allow-list; can be used on any thread.
///
/// Rights are looked up by public key at each use, so a change of the list also applies to existing connections.
package final class Admission: Sendable {
    /// The sockets of a coordinator, by their ZAP domain.
    package enum Listener: String, Sendable {
        /// The socket for workers.
        case workers
        /// The socket for clients.
        case clients
    }

    private struct State {
        var list: AllowList
        var version = 0
    }

    private let pair: CurveKeyPair
    /// Another coordinator of the cluster, which has the same key pair: it may do what any client may.
    private let coordinator: AllowList.Entry
    private let state: Mutex<State>

    /// Reads the coordinator's key pair and the allow-list.
    ///
    /// - Throws: `KeyError`.
    package init(_ keys: KeyDirectory) throws(KeyError) {
        pair = try keys.pair()
        coordinator = AllowList.Entry(
            name: "coordinator", publicKey: pair.publicKey,
            rights: Rights(pools: .these([]), client: Set(Rights.Client.allCases)))
        state = Mutex(State(list: try keys.allowList()))
    }

    /// The version of the list, which increases with each change.
    package var version: Int { state.withLock { $0.version } }

    /// The current list.
    package var list: AllowList { state.withLock { $0.list } }

    /// Replaces the list; returns the entries of the previous list that were removed or whose rights changed.
    @discardableResult
    package func replace(with list: AllowList) -> [AllowList.Entry] {
        state.withLock { state in
            let changed = state.list.entries.filter { list[publicKey: $0.publicKey]?.rights != $0.rights }
            state = State(list: list, version: state.version + 1)
            return changed
        }
    }

    /// The entry with this public key, if it is in the allow-list.
    package func entry(_ publicKey: String) -> AllowList.Entry? {
        publicKey == pair.publicKey ? coordinator : state.withLock { $0.list[publicKey: publicKey] }
    }

    /// The name of who sends an event; `nil` for another coordinator, whose deliveries are nobody's.
    package func name(ofSender publicKey: String) -> String? {
        publicKey == pair.publicKey ? nil : entry(publicKey)?.name
    }

    /// Whether the holder of a key may connect to a socket.
    package func admits(_ publicKey: String, to listener: Listener) -> Bool {
        guard let rights = entry(publicKey)?.rights else { return false }
        return listener == .workers ? rights.isWorker : rights.isClient
    }

    /// Whether the holder of a key has the right `admin`; such connections are closed last when there are too many.
    package func isOperator(_ publicKey: String) -> Bool {
        entry(publicKey)?.rights.client.contains(.admin) ?? false
    }

    /// Whether the holder of a key has a client's right.
    package func permits(_ right: Rights.Client, _ publicKey: String?) -> Bool {
        publicKey.flatMap { entry($0) }?.rights.client.contains(right) ?? false
    }

    /// Requires keys on a socket that is not yet bound: a connection needs a key that the authenticator admits.
    ///
    /// While there is no authenticator, no connection is admitted.
    package func lock(_ socket: borrowing Socket, _ listener: Listener) throws(ZeroMQError) {
        try socket.useCurve(asServerWith: pair)
        try socket.set(.zapDomain, to: listener.rawValue)
        try socket.set(.zapEnforceDomain, to: true)
    }

    // MARK: - Rights

    /// Returns the reason why a worker with this key may not serve these pools; `nil` when it may.
    package func refusal(ofWorkerWith publicKey: String?, for pools: [String]) -> String? {
        guard let publicKey, let entry = entry(publicKey) else {
            return "this key is not, or no longer, in the allow-list"
        }
        guard let wrong = pools.first(where: { !entry.rights.pools.contains($0) }) else { return nil }
        let may = entry.rights.isWorker ? entry.rights.text : "nothing"
        return "the key '\(entry.name)' may not work for the pool '\(wrong)'; its rights are: \(may)"
    }

    /// Returns the reason why a client with this key may not send this request; `nil` when it may.
    package func refusal(ofClientWith publicKey: String?, for request: ClientRequest) -> String? {
        guard let publicKey, let entry = entry(publicKey) else {
            return "This key is not, or no longer, in the coordinator's allow-list."
        }
        if request.isBetweenShards, publicKey != pair.publicKey {
            return "The key '\(request.eventKey ?? "")' is for an event between shards, which only a coordinator sends."
        }
        guard let needed = request.right, !entry.rights.client.contains(needed) else { return nil }
        return
            "The \(entry.isToken ? "token" : "key") '\(entry.name)' lacks the right '\(needed.rawValue)', which \(request.command) asks for; "
            + "its rights are: \(entry.rights.text)."
    }
}

extension ClientRequest {
    /// The right that a client's key needs for this request; `nil` when it need only be in the list.
    package var right: Rights.Client? {
        switch access {
        case .send: .send
        case .read: .read
        case .models: .models
        case .operate: .admin
        case .connect: nil
        }
    }
}
