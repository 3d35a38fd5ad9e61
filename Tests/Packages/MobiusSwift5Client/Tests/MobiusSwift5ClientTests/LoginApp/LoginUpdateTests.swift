import MobiusCore
import MobiusTest
import XCTest

class LoginUpdateTests: XCTestCase {
    private let spec = UpdateSpec(updateLogin)

    func testTyping() {
        spec.given(LoginModel())
            .when(.nameChanged("alice"), .passwordChanged("secret"))
            .then(
                assertThatNext(
                    hasModel(LoginModel(name: "alice", password: "secret")),
                    hasNoEffects()))
    }

    func testSubmitNeedsBothFields() {
        spec.given(LoginModel(name: "alice"))
            .when(.submitTapped)
            .then(assertThatNext(hasNoModel(), hasOnlyEffects([.beep])))
    }

    func testSubmit() {
        let model = LoginModel(name: "alice", password: "secret")
        spec.given(model)
            .when(.submitTapped)
            .then(
                assertThatNext(
                    hasModel(),
                    hasEffects([.signIn(name: "alice", password: "secret")]),
                    hasExactlyEffects([.track("submit"), .signIn(name: "alice", password: "secret")])))
    }

    func testTicksWithoutSession() {
        spec.given(LoginModel()).when(.tick).then(assertThatNext(hasNothing()))
    }

    func testResult() {
        spec.given(LoginModel()).when(.nameChanged("a"), .tick).then { result in
            XCTAssertEqual(result.model, LoginModel(name: "a"))
            XCTAssertEqual(result.lastNext, .noChange)
        }
    }

    func testInitiate() {
        InitSpec(initiateLogin).when(LoginModel(state: .signingIn))
            .then(assertThatFirst(hasModel(LoginModel()), hasEffects([.track("interrupted")])))
        InitSpec(initiateLogin).when(LoginModel())
            .then(assertThatFirst(hasModel(LoginModel()), hasNoEffects()))
    }

    func testFailuresAreReported() {
        var failures: [String] = []
        spec.given(LoginModel()).when(.tick).then(
            assertThatNext(hasModel(), failFunction: { message, _, _ in failures.append(message) }))
        InitSpec(initiateLogin).when(LoginModel()).then(
            assertThatFirst(
                hasEffects([.beep]), failFunction: { message, _, _ in failures.append(message) }))
        XCTAssertEqual(failures.count, 2)
    }
}
