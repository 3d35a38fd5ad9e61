import MobiusDriver
package import MobiusEngine
package import ZeroMQ

/// Whose requests wait for their answers: bounded, so that a flood is told `busy` instead of filling the memory.
package struct ClientLedger {
    /// What became of a request that came.
    package enum Admission: Equatable {
        /// It waits under this id.
        case taken(RequestID)
        /// The same client asked it before and still waits.
        case known
        /// Too many wait already.
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

    /// Takes a request of so many bytes of payload in, if there is room.
    ///
    /// A payload always has room when nothing else waits, however large.
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

    /// Forgets a request that is answered; says whose it was, `nil` for one that waits no more.
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
