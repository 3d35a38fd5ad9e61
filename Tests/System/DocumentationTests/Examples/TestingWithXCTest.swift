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
    @Test func aTestCasePasses() {
        let test = SearchTestCase(name: "testChoosingRemembers") { ($0 as? SearchTestCase)?.testChoosingRemembers() }
        test.run()
        #expect(test.testRun?.hasSucceeded == true)
    }
}
