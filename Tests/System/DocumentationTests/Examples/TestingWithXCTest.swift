import MobiusCore
import MobiusTest
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
