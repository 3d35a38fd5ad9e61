import MobiusClient
import Testing

@Suite("Errors of the client")
struct ErrorTests {
    @Test("an error reads as its sentence")
    func description() {
        #expect("\(FleetClientError(.busy, "The coordinator is busy."))" == "The coordinator is busy.")
        #expect("\(FleetClientError.Code.protocol)" == "protocol")
    }
}
