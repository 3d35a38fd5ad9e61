import Foundation
import MobiusCore
import MobiusExtras
import XCTest

class LoginAppTests: XCTestCase {
    var signIn: SignInHandler!
    var rememberer: Rememberer!
    var device: Device!
    var connectivity: Connectivity!
    var logger: LoginLogger!

    override func setUp() {
        super.setUp()
        signIn = SignInHandler()
        rememberer = Rememberer()
        device = Device()
        connectivity = Connectivity()
        logger = LoginLogger()
    }

    private var builder: Mobius.Builder<LoginModel, LoginEvent, LoginEffect> {
        let router = makeLoginRouter(signIn: signIn, rememberer: rememberer, device: device)
        return Mobius.loop(update: updateLogin, effectHandler: router.asConnectable)
            .withEventSource(CompositeEventSourceBuilder<LoginEvent>().addEventSource(connectivity).build())
            .withLogger(logger)
    }

    func testLoopIsSynchronous() {
        let loop = builder.start(from: LoginModel())
        var models: [LoginModel] = []
        let observer = loop.addObserver { model in models.append(model) }
        XCTAssertEqual(models, [LoginModel()])

        loop.dispatchEvent(.submitTapped)
        XCTAssertEqual(device.beeps, 1)
        connectivity.change(isOnline: false)
        XCTAssertEqual(models.last?.isOnline, false)
        observer.dispose()
        connectivity.change(isOnline: true)
        XCTAssertEqual(models.count, 2)
        XCTAssertEqual(loop.latestModel.isOnline, true)
        XCTAssertEqual(
            logger.events,
            [
                .submitTapped, .connectivityChanged(isOnline: false), .connectivityChanged(isOnline: true), .tick,
            ])

        XCTAssertTrue(rememberer.isConnected)
        loop.dispose()
        XCTAssertFalse(rememberer.isConnected)
        XCTAssertEqual(connectivity.subscribers, 0)
    }

    func testSigningInAndOut() {
        let done = expectation(description: "signed in and remembered")
        let loop = builder.withEventSource(SessionWatcher()).start(
            from: LoginModel(name: "alice", password: "secret"))
        var reported = false
        loop.addObserver { model in
            if case .signedIn = model.state, model.secondsSignedIn == 1, !reported {
                reported = true
                done.fulfill()
            }
        }
        loop.dispatchEvent(.submitTapped)
        wait(for: [done], timeout: 60)

        guard case .signedIn(let session) = loop.latestModel.state else {
            return XCTFail("not signed in: \(loop)")
        }
        XCTAssertEqual(session.user, "alice")
        XCTAssertEqual(rememberer.names, ["alice"])
        XCTAssertEqual(signIn.attempts, 1)
        // The server's thread may still run the loop; then it goes on with this event.
        let closed = expectation(description: "session closed")
        device.onClose = { closed.fulfill() }
        loop.dispatchEvent(.signOutTapped)
        wait(for: [closed], timeout: 60)
        XCTAssertFalse(session.isOpen)
        XCTAssertTrue(device.closed == [session])
        XCTAssertEqual(loop.latestModel, LoginModel(name: "alice"))
        loop.dispose()
    }

    func testControllerWithViews() {
        let loopQueue = DispatchQueue(label: "loop")
        let view = LoginView()
        var shownNames: [String] = []
        let nameView = AnyConnectable<String, LoginEvent> { _ in
            Connection(acceptClosure: { shownNames.append($0) }, disposeClosure: {})
        }.contramap { (model: LoginModel) in model.name }

        let controller = Mobius.loop(
            update: { (model: LoginModel, event: LoginEvent) -> LoginNext in
                dispatchPrecondition(condition: .onQueue(loopQueue))
                return updateLogin(model: model, event: event)
            },
            effectHandler: makeLoginRouter(signIn: signIn, rememberer: rememberer, device: device).asConnectable
        )
        .withLogger(logger)
        .makeController(
            from: LoginModel(state: .signingIn), initiate: initiateLogin, loopQueue: loopQueue, viewQueue: .main)
        controller.connectView(view)
        let nameID: UUID = controller.connectView(nameView)
        XCTAssertFalse(controller.running)
        controller.start()
        XCTAssertTrue(controller.running)
        XCTAssertEqual(controller.model, LoginModel(), "initiate has run")

        let refused = expectation(description: "refused")
        view.onModel = { model in
            if case .refused = model.state { refused.fulfill() }
        }
        view.fillIn(name: "bob", password: "guess")
        view.tapSubmit()
        wait(for: [refused], timeout: 60)
        XCTAssertEqual(view.shown.map(\.state).last, .refused(reason: "wrong password"))
        XCTAssertEqual(shownNames.last, "bob")

        controller.stop()
        XCTAssertFalse(controller.running)
        XCTAssertEqual(controller.model.name, "bob")
        controller.disconnectView(id: nameID)
        controller.disconnectView()
        controller.replaceModel(controller.model.copy { $0.state = .signingIn })
        controller.start()
        controller.stop()
        XCTAssertEqual(controller.model.state, .editing, "initiate runs on each start")
        XCTAssertEqual(logger.starts, 2)
    }

    func testViewIsDisconnectedOnStop() {
        let view = LoginView()
        let controller = builder.makeController(from: LoginModel(), qos: .userInteractive)
        controller.connectView(view)
        let first = expectation(description: "first model")
        view.onModel = { _ in first.fulfill() }
        controller.start()
        wait(for: [first], timeout: 60)
        XCTAssertTrue(view.isConnected)
        controller.stop()
        let gone = expectation(description: "the main queue has come round")
        DispatchQueue.main.async { gone.fulfill() }
        wait(for: [gone], timeout: 60)
        XCTAssertFalse(view.isConnected)
        view.tapSubmit()
        XCTAssertEqual(device.beeps, 0)
    }
}
