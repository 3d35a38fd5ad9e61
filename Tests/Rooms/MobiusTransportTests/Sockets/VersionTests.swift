import MobiusTransport
import Testing

struct VersionTests {
    @Test func theLibraryTellsItsVersion() {
        #expect(ZeroMQLibrary.version.hasPrefix("4."))
    }
}
