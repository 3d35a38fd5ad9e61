import CZeroMQ
import MobiusTransport
import Testing

/// Which handshakes will never succeed.
struct HandshakeWatchTests {
    private let broken = MonitorEvent(.handshakeFailed(.noDetail), endpoint: "tcp://10.0.0.1:1")
    private let denied = MonitorEvent(.handshakeFailed(.authentication), value: 400, endpoint: "tcp://10.0.0.1:1")
    private let mismatch = MonitorEvent(
        .handshakeFailed(.protocolError), value: Int(ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH), endpoint: "x")
    private let succeeded = MonitorEvent(.handshakeSucceeded, endpoint: "tcp://10.0.0.1:1")

    @Test func aDenialIsFinal() {
        var watch = HandshakeWatch(hasKey: true)
        #expect(watch.take(denied) == .notAdmitted)
    }

    @Test func keysOnOneSideOnly() {
        var with = HandshakeWatch(hasKey: true)
        #expect(with.take(mismatch) == .coordinatorHasNoKeys)
        var without = HandshakeWatch(hasKey: false)
        #expect(without.take(mismatch) == .keyIsMissing)
        #expect(without.take(MonitorEvent(.handshakeFailed(.protocolError), value: 1, endpoint: "x")) == nil)
    }

    @Test func whoAlwaysBreaksOffIsSomebodyElse() {
        var watch = HandshakeWatch(hasKey: true)
        for _ in 1..<HandshakeWatch.patience { #expect(watch.take(broken) == nil) }
        #expect(watch.take(broken) == .otherCoordinator)
        var plain = HandshakeWatch(hasKey: false)
        for _ in 0..<100 { #expect(plain.take(broken) == nil) }
        var met = HandshakeWatch(hasKey: true)
        #expect(met.take(succeeded) == nil)
        for _ in 0..<100 { #expect(met.take(broken) == nil, "it was the right one once") }
    }
}
