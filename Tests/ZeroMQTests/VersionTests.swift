import Testing
import ZeroMQ

@Suite struct VersionTests {
    @Test func theLibraryTellsItsVersion() {
        #expect(ZeroMQLibrary.version.hasPrefix("4."))
    }
}
