import MobiusCoordinator
import MobiusEngine
import Testing
import ZeroMQ

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
