import Foundation
import MobiusCore
import MobiusExtras

/// Signs in on a queue of its own, as a client of a server would; it counts without a lock.
class SignInHandler: EffectHandler {
    private let queue = DispatchQueue(label: "server")
    private(set) var attempts = 0
    private(set) var cancelled = 0

    func handle(
        _ credentials: (name: String, password: String), _ callback: EffectCallback<LoginEvent>
    ) -> Disposable {
        attempts += 1
        queue.async {
            if credentials.password == "secret" {
                callback.end(with: .signedIn(Session(user: credentials.name)))
            } else {
                callback.send(.refused(reason: "wrong password"))
                callback.end()
            }
        }
        return AnonymousDisposable { self.cancelled += 1 }
    }
}

/// Keeps names; a connectable made by inheriting.
///
/// It builds as it is; the compiler's warning goes away with `, @unchecked Sendable` after the superclass.
class Rememberer: ConnectableClass<String, LoginEvent> {
    var names: [String] = []
    var isConnected = false

    override func onConnect() {
        isConnected = true
    }

    override func handle(_ name: String) {
        names.append(name)
        send(.remembered)
    }

    override func onDispose() {
        isConnected = false
    }
}

/// What the fire-and-forget effects did.
class Device {
    var beeps = 0
    var tracked: [String] = []
    var closed: [Session] = []
    var onClose: () -> Void = {}
}

func makeLoginRouter(
    signIn: SignInHandler, rememberer: Rememberer, device: Device
) -> EffectRouter<LoginEffect, LoginEvent> {
    let trackingQueue = DispatchQueue(label: "tracking")
    return EffectRouter<LoginEffect, LoginEvent>()
        .routeCase(LoginEffect.signIn).to(signIn)
        .routeCase(LoginEffect.remember).to(rememberer)
        .routeCase(LoginEffect.track).on(queue: trackingQueue).to { name in
            dispatchPrecondition(condition: .onQueue(trackingQueue))
            device.tracked.append(name)
        }
        .routeCase(LoginEffect.beep).to { device.beeps += 1 }
        .routeEffects(equalTo: .refresh).toEvent { _ in .tick }
        .routeEffects(withParameters: { (effect: LoginEffect) -> Session? in
            guard case .close(let session) = effect else { return nil }
            return session
        }).to { session, callback in
            session.isOpen = false
            device.closed.append(session)
            device.onClose()
            callback.end()
            return EmptyDisposable()
        }
}
