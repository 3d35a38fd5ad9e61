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
        #expect(watch.handle(denied) == .notAdmitted)
    }

    @Test func keysOnOneSideOnly() {
        var with = HandshakeWatch(hasKey: true)
        #expect(with.handle(mismatch) == .coordinatorHasNoKeys)
        var without = HandshakeWatch(hasKey: false)
        #expect(without.handle(mismatch) == .keyIsMissing)
        #expect(without.handle(MonitorEvent(.handshakeFailed(.protocolError), value: 1, endpoint: "x")) == nil)
    }

    @Test func whoAlwaysBreaksOffIsSomebodyElse() {
        var watch = HandshakeWatch(hasKey: true)
        for _ in 1..<HandshakeWatch.patience { #expect(watch.handle(broken) == nil) }
        #expect(watch.handle(broken) == .otherCoordinator)
        var plain = HandshakeWatch(hasKey: false)
        for _ in 0..<100 { #expect(plain.handle(broken) == nil) }
        var met = HandshakeWatch(hasKey: true)
        #expect(met.handle(succeeded) == nil)
        for _ in 0..<100 { #expect(met.handle(broken) == nil, "it was the right one once") }
    }
}
