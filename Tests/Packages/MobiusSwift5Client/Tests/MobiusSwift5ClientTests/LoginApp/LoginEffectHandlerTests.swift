import MobiusCore
import MobiusTest
import XCTest

/// What the original has no specs for; the client's handlers need no change for them.
class LoginEffectHandlerTests: XCTestCase {
    private let signIn = SignInHandler()
    private let rememberer = Rememberer()
    private let device = Device()

    private var spec: EffectHandlerSpec<LoginEffect, LoginEvent> {
        EffectHandlerSpec(makeLoginRouter(signIn: signIn, rememberer: rememberer, device: device))
    }

    func testHandlersThatAnswerAtOnce() {
        spec.when(.refresh, .beep).then(assertThatEvents(hasExactlyEvents([.tick]), hasEnded()))
        XCTAssertEqual(device.beeps, 1)
        EffectHandlerSpec(rememberer).when("alice").then(assertThatEvents(hasExactlyEvents([.remembered])))
        XCTAssertEqual(rememberer.names, ["alice"])
    }

    func testSigningInWithAWrongPassword() async {
        await spec.when(.signIn(name: "bob", password: "guess"))
            .then(assertThatEvents(hasOnlyEvents([.refused(reason: "wrong password")])))
        XCTAssertEqual(signIn.attempts, 1)
    }
}
