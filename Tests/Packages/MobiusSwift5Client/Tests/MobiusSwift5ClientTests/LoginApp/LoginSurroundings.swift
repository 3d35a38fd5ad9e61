import Foundation
import MobiusCore

/// An event source: tells of the network.
class Connectivity: EventSource {
    typealias Event = LoginEvent

    private var consumers: [UUID: Consumer<LoginEvent>] = [:]

    var subscribers: Int { consumers.count }

    func subscribe(consumer: @escaping Consumer<LoginEvent>) -> Disposable {
        let id = UUID()
        consumers[id] = consumer
        return AnonymousDisposable { self.consumers[id] = nil }
    }

    func change(isOnline: Bool) {
        consumers.values.forEach { $0(.connectivityChanged(isOnline: isOnline)) }
    }
}

/// An event source that sees the model: it ticks for each model with a session that is new to it.
class SessionWatcher: Connectable {
    func connect(_ consumer: @escaping (LoginEvent) -> Void) -> Connection<LoginModel> {
        var last: Session?
        return Connection<LoginModel>(
            acceptClosure: { model in
                guard case .signedIn(let session) = model.state, session != last else { return }
                last = session
                consumer(.tick)
            },
            disposeClosure: { last = nil })
    }
}

/// A logger that keeps what it is told.
class LoginLogger: MobiusLogger {
    var events: [LoginEvent] = []
    var starts = 0

    func didInitiate(model: LoginModel, first: First<LoginModel, LoginEffect>) {
        starts += 1
    }

    func willUpdate(model: LoginModel, event: LoginEvent) {
        events.append(event)
    }

    func didUpdate(model: LoginModel, event: LoginEvent, next: LoginNext) {}

    func willInitiate(model: LoginModel) {}
}

/// A view: shows models and sends events.
class LoginView: Connectable {
    typealias Input = LoginModel
    typealias Output = LoginEvent

    private var send: Consumer<LoginEvent>?
    private(set) var shown: [LoginModel] = []
    private(set) var isConnected = false
    var onModel: (LoginModel) -> Void = { _ in }

    func connect(_ consumer: @escaping Consumer<LoginEvent>) -> Connection<LoginModel> {
        send = consumer
        isConnected = true
        return Connection(acceptClosure: render, disposeClosure: disconnected)
    }

    func fillIn(name: String, password: String) {
        send?(.nameChanged(name))
        send?(.passwordChanged(password))
    }

    func tapSubmit() {
        send?(.submitTapped)
    }

    private func render(_ model: LoginModel) {
        dispatchPrecondition(condition: .onQueue(.main))
        shown.append(model)
        onModel(model)
    }

    private func disconnected() {
        send = nil
        isConnected = false
    }
}
