import MobiusDriver
package import MobiusEngine
package import ZeroMQ

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
        let number: UInt64
        let bytes: Int
        let isList: Bool
    }

    private struct Name: Hashable {
        let peer: PeerID
        let number: UInt64
    }

    private let limits: ClientPort.Limits
    private var next = RequestID.firstOfClients
    private var waiting: [RequestID: Waiting] = [:]
    private var ids: [Name: RequestID] = [:]
    private var perPeer: [PeerID: Int] = [:]
    private var lists = 0
    private var listsPerPeer: [PeerID: Int] = [:]
    package private(set) var bytes = 0

    package init(_ limits: ClientPort.Limits) {
        self.limits = limits
    }

    package var count: Int { waiting.count }

    /// Admits a request with a payload of `bytes` bytes, if the limits allow it.
    ///
    /// When no other payload waits, a payload of any size is admitted.
    package mutating func admit(
        _ number: UInt64, from peer: PeerID, bytes: Int, isList: Bool = false
    ) -> Admission {
        let name = Name(peer: peer, number: number)
        guard ids[name] == nil else { return .known }
        guard waiting.count < limits.waiting, perPeer[peer, default: 0] < limits.waitingPerPeer,
            self.bytes == 0 || self.bytes + bytes <= limits.waitingBytes
        else { return .full }
        if isList {
            guard lists < limits.lists, listsPerPeer[peer, default: 0] < limits.listsPerPeer else { return .full }
            lists += 1
            listsPerPeer[peer, default: 0] += 1
        }
        let id = RequestID(next)
        next += 1
        waiting[id] = Waiting(peer: peer, number: number, bytes: bytes, isList: isList)
        ids[name] = id
        perPeer[peer, default: 0] += 1
        self.bytes += bytes
        return .taken(id)
    }

    /// Removes an answered request and returns its client and number; `nil` if it no longer waits.
    package mutating func settle(_ id: RequestID) -> (peer: PeerID, number: UInt64)? {
        guard let settled = waiting.removeValue(forKey: id) else { return nil }
        ids[Name(peer: settled.peer, number: settled.number)] = nil
        bytes -= settled.bytes
        let left = (perPeer[settled.peer] ?? 1) - 1
        perPeer[settled.peer] = left == 0 ? nil : left
        if settled.isList {
            lists -= 1
            let left = (listsPerPeer[settled.peer] ?? 1) - 1
            listsPerPeer[settled.peer] = left == 0 ? nil : left
        }
        return (settled.peer, settled.number)
    }
}
