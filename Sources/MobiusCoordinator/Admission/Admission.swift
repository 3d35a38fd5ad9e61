package import MobiusKeys
import MobiusWire
import Synchronization
package import ZeroMQ

/// Who may do what, as the allow-list says now; for any thread.
///
/// Everything is looked up by public key at the time it is asked for, so a change holds for connections that are up, too.
package final class Admission: Sendable {
    /// The sockets of a coordinator, by the domain under which ZeroMQ asks who may come.
    package enum Door: String, Sendable {
        /// That for workers.
        case workers
        /// That for clients.
        case clients
    }

    private struct State {
        var list: AllowList
        var version = 0
    }

    private let pair: CurveKeyPair
    private let state: Mutex<State>

    /// Reads the coordinator's pair and the allow-list.
    ///
    /// - Throws: `KeyError`.
    package init(_ keys: KeyDirectory) throws(KeyError) {
        pair = try keys.pair()
        state = Mutex(State(list: try keys.allowList()))
    }

    /// Grows with every change of the list.
    package var version: Int { state.withLock { $0.version } }

    /// The list as it is now.
    package var list: AllowList { state.withLock { $0.list } }

    /// Takes a changed list over; says who was in the former and is not, or has other rights.
    @discardableResult
    package func replace(with list: AllowList) -> [AllowList.Entry] {
        state.withLock { state in
            let changed = state.list.entries.filter { list[publicKey: $0.publicKey]?.rights != $0.rights }
            state = State(list: list, version: state.version + 1)
            return changed
        }
    }

    /// The peer with this key, if it may be here at all.
    package func entry(_ publicKey: String) -> AllowList.Entry? { state.withLock { $0.list[publicKey: publicKey] } }

    /// Whether the holder of a key may come to a door.
    package func admits(_ publicKey: String, to door: Door) -> Bool {
        guard let rights = entry(publicKey)?.rights else { return false }
        return door == .workers ? rights.isWorker : rights.isClient
    }

    /// Whether the holder of a key may repair the fleet: others make room for it.
    package func isOperator(_ publicKey: String) -> Bool {
        entry(publicKey)?.rights.client.contains(.admin) ?? false
    }

    /// Locks a socket that is not bound yet: nobody comes in without a key, nor while nobody answers for the list.
    package func lock(_ socket: borrowing Socket, _ door: Door) throws(ZeroMQError) {
        try socket.useCurve(asServerWith: pair)
        try socket.set(.zapDomain, to: door.rawValue)
        try socket.set(.zapEnforceDomain, to: true)
    }

    // MARK: - Rights

    /// Why a worker with this key may not serve these pools; `nil` when it may.
    package func refusal(ofWorkerWith publicKey: String?, for pools: [String]) -> String? {
        guard let publicKey, let entry = entry(publicKey) else {
            return "this key is not, or no longer, in the allow-list"
        }
        guard let wrong = pools.first(where: { !entry.rights.pools.contains($0) }) else { return nil }
        let may = entry.rights.isWorker ? entry.rights.text : "nothing"
        return "the key '\(entry.name)' may not work for the pool '\(wrong)'; its rights are: \(may)"
    }

    /// Why a client with this key may not ask this; `nil` when it may.
    package func refusal(ofClientWith publicKey: String?, for request: ClientRequest) -> String? {
        guard let publicKey, let entry = entry(publicKey) else {
            return "This key is not, or no longer, in the coordinator's allow-list."
        }
        let needed = request.right
        guard !entry.rights.client.contains(needed) else { return nil }
        return "The key '\(entry.name)' lacks the right '\(needed.rawValue)', which \(request.command) asks for; "
            + "its rights are: \(entry.rights.text)."
    }
}

extension ClientRequest {
    /// What a client's key must allow.
    package var right: Rights.Client {
        switch self {
        case .send: .send
        case .effects, .letters, .letter, .quarantine, .quarantined, .status: .read
        case .retry, .drop, .release: .admin
        }
    }
}
