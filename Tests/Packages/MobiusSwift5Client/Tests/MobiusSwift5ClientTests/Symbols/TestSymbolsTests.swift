import MobiusCore
import MobiusTest
import XCTest

class TestSymbolsTests: XCTestCase {
    private typealias Spec = UpdateSpec<Int, Int, String>

    /// Adds; an odd event asks for an effect, 0 does nothing.
    private func update(_ model: Int, _ event: Int) -> Next<Int, String> {
        switch event {
        case 0: return .noChange
        case let odd where odd % 2 == 1: return .next(model + odd, effects: ["odd", "\(odd)"])
        default: return .next(model + event)
        }
    }

    private func isSuccess(_ result: PredicateResult) -> Bool {
        switch result {
        case .success: return true
        case .failure(message: let message, file: _, line: let line):
            XCTAssertFalse(message.isEmpty)
            XCTAssertGreaterThan(line, 0)
            return false
        }
    }

    func testFirstPredicates() {
        let first = First<Int, String>(model: 1, effects: ["a", "b"])
        let fulfilled: [FirstPredicate<Int, String>] = [
            hasModel(1), hasEffects(["b"]), hasOnlyEffects(["b", "a"]), hasExactlyEffects(["a", "b"]),
        ]
        let failing: [FirstPredicate<Int, String>] = [
            hasModel(2), hasNoEffects(), hasEffects(["c"]), hasOnlyEffects(["a"]), hasExactlyEffects(["b", "a"]),
        ]
        XCTAssertTrue(fulfilled.allSatisfy { isSuccess($0(first)) })
        XCTAssertFalse(failing.contains { isSuccess($0(first)) })
        let none: FirstPredicate<Int, String> = hasNoEffects(file: #file, line: #line)
        XCTAssertTrue(isSuccess(none(First(model: 1))))
    }

    /// The matchers as values.
    func testSignatures() {
        typealias FirstPlace = (StaticString, UInt) -> FirstPredicate<Int, String>
        typealias NextPlace = (StaticString, UInt) -> NextPredicate<Int, String>
        typealias FirstModel = (Int, StaticString, UInt) -> FirstPredicate<Int, String>
        typealias NextModel = (Int, StaticString, UInt) -> NextPredicate<Int, String>
        typealias FirstEffects = ([String], StaticString, UInt) -> FirstPredicate<Int, String>
        typealias NextEffects = ([String], StaticString, UInt) -> NextPredicate<Int, String>

        let firstModel: FirstModel = hasModel(_:file:line:)
        let firstPlaces: [FirstPlace] = [hasNoEffects(file:line:)]
        let firstEffects: [FirstEffects] = [
            hasEffects(_:file:line:), hasOnlyEffects(_:file:line:), hasExactlyEffects(_:file:line:),
        ]
        let nextModel: NextModel = hasModel(_:file:line:)
        let nextPlaces: [NextPlace] = [hasNothing(file:line:), hasNoModel(file:line:), hasNoEffects(file:line:)]
        let hasAnyModel: NextPlace = hasModel(file:line:)
        let nextEffects: [NextEffects] = [
            hasEffects(_:file:line:), hasOnlyEffects(_:file:line:), hasExactlyEffects(_:file:line:),
        ]
        XCTAssertTrue(isSuccess(firstModel(1, #file, #line)(First(model: 1))))
        XCTAssertTrue(firstPlaces.allSatisfy { isSuccess($0(#file, #line)(First(model: 1))) })
        XCTAssertTrue(firstEffects.allSatisfy { isSuccess($0(["a"], #file, #line)(First(model: 1, effects: ["a"]))) })
        XCTAssertTrue(isSuccess(nextModel(1, #file, #line)(.next(1))))
        XCTAssertTrue(nextPlaces.allSatisfy { isSuccess($0(#file, #line)(.noChange)) })
        XCTAssertTrue(isSuccess(hasAnyModel(#file, #line)(.next(1))))
        XCTAssertTrue(nextEffects.allSatisfy { isSuccess($0(["a"], #file, #line)(.dispatchEffects(["a"]))) })
    }

    func testNextPredicates() {
        let next: Next<Int, String> = .next(1, effects: ["a", "b"])
        let fulfilled: [NextPredicate<Int, String>] = [
            hasModel(), hasModel(1), hasEffects(["b"]), hasOnlyEffects(["b", "a"]), hasExactlyEffects(["a", "b"]),
        ]
        let failing: [NextPredicate<Int, String>] = [
            hasNothing(), hasNoModel(), hasModel(2), hasNoEffects(), hasEffects(["c"]), hasOnlyEffects(["a"]),
            hasExactlyEffects(["b", "a"]),
        ]
        XCTAssertTrue(fulfilled.allSatisfy { isSuccess($0(next)) })
        XCTAssertFalse(failing.contains { isSuccess($0(next)) })
        // Foundation, which XCTest brings, has a `Predicate` of its own.
        let empty: [MobiusTest.Predicate<Next<Int, String>>] = [hasNothing(), hasNoModel(), hasNoEffects()]
        XCTAssertTrue(empty.allSatisfy { isSuccess($0(.noChange)) })
    }

    func testCustomPredicates() {
        let isBig: NextPredicate<Int, String> = { next in
            (next.model ?? 0) > 10
                ? .success : .failure(message: "\(next) is not big", file: #file, line: #line)
        }
        var failures: [String] = []
        let fail: AssertionFailure = { message, _, _ in failures.append(message) }
        Spec(update).given(1).when(20).then(assertThatNext(isBig, failFunction: fail))
        XCTAssertEqual(failures, [])
        Spec(update).given(1).when(2).then(assertThatNext(isBig, hasNoModel(), failFunction: fail))
        XCTAssertEqual(failures.first, "(3, []) is not big")
        XCTAssertEqual(failures.count, 2)
    }

    func testUpdateSpec() {
        let fromFunction: (@escaping (Int, Int) -> Next<Int, String>) -> Spec = Spec.init
        let fromUpdate: (Update<Int, Int, String>) -> Spec = Spec.init
        let assertion: Spec.Assert = assertThatNext(hasModel(4), hasExactlyEffects(["odd", "1"]))
        for spec in [fromFunction(update), fromUpdate(Update(update))] {
            let given: (Int) -> Spec.When = spec.given
            let when: Spec.When = given(1)
            let then: Spec.Then = when.when(2, 1)
            then.then(assertion)
            let check: ((Spec.Result) -> Void) -> Void = then.then
            check { (result: Spec.Result) in
                let model: Int = result.model
                let last: Next<Int, String> = result.lastNext
                XCTAssertEqual(model, 4)
                XCTAssertEqual(last, .next(4, effects: ["odd", "1"]))
            }
        }
    }

    func testInitSpec() {
        let make: (@escaping Initiate<Int, String>) -> InitSpec<Int, String> =
            InitSpec<Int, String>.init
        let spec = make { First(model: $0 + 1, effects: ["started"]) }
        let then: InitSpec<Int, String>.Then = spec.when(1)
        let assertion: AssertFirst<Int, String> = assertThatFirst(hasModel(2), hasOnlyEffects(["started"]))
        then.then(assertion)
        var seen: [Int] = []
        then.then { first in seen.append(first.model) }
        XCTAssertEqual(seen, [2])
        var failures = 0
        then.then(assertThatFirst(hasNoEffects(), failFunction: { _, _, _ in failures += 1 }))
        XCTAssertEqual(failures, 1)
    }
}
