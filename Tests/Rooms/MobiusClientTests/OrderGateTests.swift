import MobiusCoordinator
import MobiusEngine
import MobiusTransport
import MobiusWire
import Testing

@Suite("The order of events that are sent without waiting")
struct OrderGateTests {
    private var gate = OrderGate()
    private let ada = PeerID([1])!
    private let bob = PeerID([2])!

    /// Requests arrive; returns those that are admitted, and wait.
    private mutating func ask(_ numbers: UInt64..., order: SendOrder = .ordered, of peer: PeerID? = nil) -> [UInt64] {
        let peer = peer ?? ada
        return numbers.filter { number in
            guard gate.admits(number, from: peer, order) else { return false }
            gate.took(RequestID(number), order)
            return true
        }
    }

    private mutating func answer(_ number: UInt64, _ answer: ClientAnswer) {
        gate.answered(RequestID(number), number, of: ada, answer)
    }

    @Test("after BUSY the later ones wait until each was repeated in its turn")
    func busy() {
        var test = self
        #expect(test.ask(1, 2, 3) == [1, 2, 3])
        test.answer(1, .done(repeated: false))
        test.answer(2, .busy(retryAfter: 1))
        test.answer(3, .busy(retryAfter: 1))
        #expect(test.ask(4, 5, 3, 2) == [2])
        #expect(test.ask(4, 6, 3) == [3])
        test.answer(3, .busy(retryAfter: 1))
        #expect(test.ask(4) == [])
        #expect(test.ask(3, 4, 5, 6, 7) == [3, 4, 5, 6, 7])
        // Others, and free requests, are not concerned.
        test.answer(7, .busy(retryAfter: 1))
        #expect(test.ask(8, of: bob) == [8])
        #expect(test.ask(9, order: .free) == [9])
        #expect(test.ask(8) == [])
    }

    @Test("in a chain nothing passes a refusal; otherwise it does")
    func refusal() {
        var test = self
        let refused = ClientAnswer.refused(ClientRefusal(.invalidEvent, ""))
        #expect(test.ask(1, order: .chained) == [1])
        #expect(test.ask(2) == [2])
        test.answer(2, refused)
        #expect(test.ask(3) == [3])
        test.answer(1, refused)
        #expect(test.ask(4, 1, order: .chained) == [1])
        test.answer(1, .done(repeated: false))
        #expect(test.ask(4, order: .chained) == [4])
    }

    @Test("what hostile clients cost is bounded")
    func bounds() {
        var test = self
        let peer = { (number: Int) in PeerID(withUnsafeBytes(of: UInt32(number)) { Array($0) })! }
        for number in 0..<3 * OrderGate.peers {
            test.gate.answered(1, of: peer(number), .ordered, .busy(retryAfter: 1))
        }
        // The newest are remembered.
        #expect(test.ask(2, of: peer(3 * OrderGate.peers - 1)) == [])
        #expect(test.ask(2, of: peer(0)) == [2])
        for number in (1...UInt64(3 * OrderGate.requestsPerPeer)).reversed() {
            test.gate.answered(number, of: test.ada, .ordered, .busy(retryAfter: 1))
        }
        #expect(test.ask(2, 1, 2, 3) == [1, 2, 3])
    }
}
