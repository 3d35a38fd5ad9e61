import MobiusDriver
package import MobiusEngine
package import MobiusTransport

/// The client requests that wait for answers; bounded, so that a flood gets `busy` instead of filling the memory.
package struct ClientLedger {
    /// The result of admitting a request.
    package enum Admission: Equatable {
        /// The request waits under this id.
        case taken(RequestID)
        /// The same request of this client is already waiting.
        case known
        /// Too many requests are waiting.
        case full
    }

    private struct Waiting {
        let peer: PeerID
        /// The peer with whose requests it counts.
        let account: PeerID
        let number: UInt64
        let bytes: Int
        let kind: Kind
    }

    /// The kinds of requests, by what they may wait for.
    package enum Kind: Equatable {
        /// A decision or a commit.
        case usual
        /// A page of a list.
        case list
        /// A loop's next event, for half a minute: such requests take no place from others.
        case watch
    }

    private struct Name: Hashable {
        let peer: PeerID
        let number: UInt64
    }

    private let limits: ClientPort.Limits
    private var next: UInt64
    private var waiting: [RequestID: Waiting] = [:]
    private var ids: [Name: RequestID] = [:]
    private var perPeer: [PeerID: Int] = [:]
    private var watches = 0
    private var watchesPerPeer: [PeerID: Int] = [:]
    private var lists = 0
    private var listsPerPeer: [PeerID: Int] = [:]
    package private(set) var bytes = 0

    /// Begins without requests; the ids count from `first`.
    package init(_ limits: ClientPort.Limits, first: UInt64 = RequestID.firstOfClients) {
        self.limits = limits
        next = first
    }

    package var count: Int { waiting.count }

    /// Admits a request with a payload of `bytes` bytes, if the limits allow it.
    ///
    /// When no other payload waits, a payload of any size is admitted.
    ///
    /// - Parameter account: The peer with whose requests it is counted; `nil` for the sender.
    package mutating func admit(
        _ number: UInt64, from peer: PeerID, for account: PeerID? = nil, bytes: Int, as kind: Kind = .usual
    ) -> Admission {
        let account = account ?? peer
        let name = Name(peer: peer, number: number)
        guard ids[name] == nil else { return .known }
        if kind == .watch {
            guard watches < limits.watches, watchesPerPeer[account, default: 0] < limits.watchesPerPeer else {
                return .full
            }
            watches += 1
            watchesPerPeer[account, default: 0] += 1
        } else {
            guard waiting.count - watches < limits.waiting, perPeer[account, default: 0] < limits.waitingPerPeer,
                self.bytes == 0 || self.bytes + bytes <= limits.waitingBytes
            else { return .full }
        }
        if kind == .list {
            guard lists < limits.lists, listsPerPeer[account, default: 0] < limits.listsPerPeer else { return .full }
            lists += 1
            listsPerPeer[account, default: 0] += 1
        }
        let id = RequestID(next)
        next += 1
        waiting[id] = Waiting(peer: peer, account: account, number: number, bytes: bytes, kind: kind)
        ids[name] = id
        if kind != .watch { perPeer[account, default: 0] += 1 }
        self.bytes += bytes
        return .taken(id)
    }

    /// The waiting request of this number, if it watches a model.
    package func watch(_ number: UInt64, of peer: PeerID) -> RequestID? {
        ids[Name(peer: peer, number: number)].flatMap { waiting[$0]?.kind == .watch ? $0 : nil }
    }

    /// Removes an answered request and returns its client and number; `nil` if it no longer waits.
    package mutating func settle(_ id: RequestID) -> (peer: PeerID, number: UInt64)? {
        guard let settled = waiting.removeValue(forKey: id) else { return nil }
        ids[Name(peer: settled.peer, number: settled.number)] = nil
        bytes -= settled.bytes
        switch settled.kind {
        case .watch:
            watches -= 1
            Self.remove(settled.account, from: &watchesPerPeer)
        case .usual: Self.remove(settled.account, from: &perPeer)
        case .list:
            Self.remove(settled.account, from: &perPeer)
            lists -= 1
            Self.remove(settled.account, from: &listsPerPeer)
        }
        return (settled.peer, settled.number)
    }

    private static func remove(_ peer: PeerID, from counts: inout [PeerID: Int]) {
        let left = (counts[peer] ?? 1) - 1
        counts[peer] = left == 0 ? nil : left
    }
}
