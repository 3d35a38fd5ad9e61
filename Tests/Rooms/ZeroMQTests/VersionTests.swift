import Testing
import ZeroMQ

struct VersionTests {
    @Test func theLibraryTellsItsVersion() {
        #expect(ZeroMQLibrary.version.hasPrefix("4."))
    }
}
