import MobiusProcess
import Testing

/// When probes and the service manager are told that all is well.
struct VitalsTests {
    private let vitals = Vitals()
    private let second: Int64 = 1_000_000_000

    @Test func whatStartsLivesAndIsNotReady() {
        #expect(vitals.phase == .starting)
        #expect(vitals.livenessFailure(at: 1000 * second) == nil)
        #expect(vitals.readinessFailure(at: 0) == "it is starting")
    }

    @Test func whatGoesRoundAndServesIsReady() {
        vitals.beat(at: 5 * second)
        #expect(vitals.phase == .running)
        #expect(vitals.readinessFailure(at: 5 * second) == "it is not connected")
        vitals.serves(true)
        #expect(vitals.readinessFailure(at: 15 * second) == nil)
        #expect(vitals.livenessFailure(at: 15 * second) == nil)
    }

    @Test func whatHangsIsNeither() {
        vitals.beat(at: 5 * second)
        vitals.serves(true)
        let livenessFailure = "the socket thread has not run for 11 s"
        #expect(vitals.livenessFailure(at: 16 * second) == livenessFailure)
        #expect(vitals.readinessFailure(at: 16 * second) == livenessFailure)
        vitals.beat(at: 16 * second)
        #expect(vitals.livenessFailure(at: 16 * second) == nil)
    }

    @Test func whatStopsMayTakeItsTime() {
        vitals.beat(at: 5 * second)
        vitals.stops()
        vitals.beat(at: 6 * second)
        #expect(vitals.phase == .stopping)
        #expect(vitals.livenessFailure(at: 600 * second) == nil)
        #expect(vitals.readinessFailure(at: 600 * second) == "it is stopping")
    }
}

/// Where probes and metrics may be served.
struct HTTPAddressTests {
    @Test(arguments: [
        ("9464", "127.0.0.1:9464"), ("0.0.0.0:9464", "0.0.0.0:9464"), ("localhost:0", "localhost:0"),
        ("[::1]:9464", "[::1]:9464"),
    ])
    func addressesAreRead(_ text: String, _ meaning: String) {
        #expect(HTTPAddress(text)?.description == meaning)
    }

    @Test(arguments: [
        "", ":9464", "host", "host:", "host:65536", "::1:9464", "[::1]", "[host]:1", "http://host:1", "+1",
    ])
    func nonsenseIsNot(_ text: String) {
        #expect(HTTPAddress(text) == nil)
    }
}
