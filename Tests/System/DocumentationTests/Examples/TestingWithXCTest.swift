import FleetTestSupport
import MobiusCore
import MobiusTest
import Testing
import XCTest

// example: xctest
final class SearchTestCase: XCTestCase {
    func testChoosingRemembers() {
        UpdateSpec(update(search:event:))
            .given(Search(titles: ["Emma"]))
            .when(.chosen(title: "Emma"))
            .then(
                assertThatNext(
                    hasNoModel(),
                    hasEffects([.remember(title: "Emma")])))
    }
}
// end

@Suite("Testing with XCTest", .serialized)
struct TestingWithXCTest {
    @Test func aTestCasePasses() async throws {
        // XCTest waits for a task of its own and keeps its thread, which must not be one of those that tasks share.
        let passes = try await onThread {
            let test = SearchTestCase(name: "testChoosingRemembers") {
                ($0 as? SearchTestCase)?.testChoosingRemembers()
            }
            test.run()
            return test.testRun?.hasSucceeded == true
        }
        #expect(passes)
    }
}
