import MobiusCoordinator
import MobiusEngine
import MobiusTransport
import Testing

@Suite("The ledger of a client port")
struct LedgerTests {
    private let ada = PeerID([1])!
    private let bob = PeerID([2])!

    @Test("ids are of its own, and each settles once")
    func ids() {
        var ledger = ClientLedger(.init())
        let first = RequestID(1 << 63)
        let second = RequestID(1 << 63 + 1)
        #expect(ledger.admit(1, from: ada, bytes: 0) == .taken(first))
        #expect(ledger.admit(1, from: ada, bytes: 0) == .known)
        #expect(ledger.admit(1, from: bob, bytes: 0) == .taken(second))
        #expect(ledger.settle(second)?.peer == bob)
        #expect(ledger.settle(second) == nil)
        #expect(ledger.settle(RequestID(1)) == nil)
        #expect(ledger.count == 1)
    }

    @Test("lists have limits of their own, which others do not meet")
    func lists() {
        var limits = ClientPort.Limits()
        (limits.lists, limits.listsPerPeer) = (3, 2)
        var ledger = ClientLedger(limits)
        for _ in 0..<3 {
            var taken: [RequestID] = []
            for (number, peer) in [(1, ada), (2, ada), (1, bob)] as [(UInt64, PeerID)] {
                guard case .taken(let id) = ledger.admit(number, from: peer, bytes: 0, as: .list) else {
                    Issue.record("There is room.")
                    continue
                }
                taken.append(id)
                if taken.count == 2 { #expect(ledger.admit(3, from: ada, bytes: 0, as: .list) == .full) }
            }
            #expect(ledger.admit(2, from: bob, bytes: 0, as: .list) == .full)
            if case .taken(let id) = ledger.admit(9, from: ada, bytes: 0) { taken.append(id) }
            #expect(taken.count == 4)
            for id in taken { #expect(ledger.settle(id) != nil) }
        }
    }

    @Test("every limit is of its own, and what settles gives back all it took")
    func limits() {
        var limits = ClientPort.Limits()
        (limits.waiting, limits.waitingPerPeer, limits.waitingBytes) = (3, 2, 100)
        for _ in 0..<3 {
            var ledger = ClientLedger(limits)
            for round in 0..<3 {
                let next: UInt64 = (1 << 63) + 2 * UInt64(round) + UInt64(round)
                #expect(ledger.admit(1, from: ada, bytes: 150) == .taken(RequestID(next)))
                #expect(ledger.admit(2, from: ada, bytes: 1) == .full)
                #expect(ledger.admit(2, from: ada, bytes: 0) == .full)
                #expect(ledger.settle(RequestID(next)) != nil)
                #expect(ledger.bytes == 0)
                #expect(ledger.admit(1, from: ada, bytes: 60) == .taken(RequestID(next + 1)))
                #expect(ledger.admit(2, from: bob, bytes: 41) == .full)
                #expect(ledger.admit(2, from: bob, bytes: 40) == .taken(RequestID(next + 2)))
                #expect(ledger.settle(RequestID(next + 1)) != nil)
                #expect(ledger.settle(RequestID(next + 2)) != nil)
                #expect(ledger.count == 0)
            }
        }
    }
}
