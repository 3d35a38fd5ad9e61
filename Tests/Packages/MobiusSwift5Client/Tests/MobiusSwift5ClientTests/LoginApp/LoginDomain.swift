import MobiusCore
import MobiusExtras

// An app as users of Mobius.swift 0.7 have it: Swift 5 mode, classes in the model, no thought of `Sendable` anywhere.

class Session: Equatable {
    let user: String
    var isOpen = true

    init(user: String) {
        self.user = user
    }

    static func == (lhs: Session, rhs: Session) -> Bool { lhs === rhs }
}

struct LoginModel: Copyable, Equatable {
    enum State: Equatable {
        case editing
        case signingIn
        case signedIn(Session)
        case refused(reason: String)
    }

    var name = ""
    var password = ""
    var state = State.editing
    var isOnline = true
    var secondsSignedIn = 0

    var canSubmit: Bool { isOnline && state != .signingIn && !name.isEmpty && !password.isEmpty }
}

enum LoginEvent: Equatable {
    case nameChanged(String)
    case passwordChanged(String)
    case submitTapped
    case signedIn(Session)
    case refused(reason: String)
    case remembered
    case connectivityChanged(isOnline: Bool)
    case tick
    case signOutTapped
}

enum LoginEffect: Equatable {
    case signIn(name: String, password: String)
    case remember(String)
    case track(String)
    case beep
    case close(Session)
    case refresh
}

typealias LoginNext = Next<LoginModel, LoginEffect>

func initiateLogin(model: LoginModel) -> First<LoginModel, LoginEffect> {
    guard case .signingIn = model.state else { return First(model: model) }
    return First(
        model: model.copy { $0.state = .editing },
        effects: [.track("interrupted")])
}

func updateLogin(model: LoginModel, event: LoginEvent) -> LoginNext {
    switch event {
    case .nameChanged(let name):
        return .next(model.copy { $0.name = name })
    case .passwordChanged(let password):
        return .next(model.copy { $0.password = password })
    case .submitTapped:
        guard model.canSubmit else { return .dispatchEffects([.beep]) }
        return .next(
            model.copy { $0.state = .signingIn },
            effects: [.track("submit"), .signIn(name: model.name, password: model.password)])
    case .signedIn(let session):
        return .next(model.copy { $0.state = .signedIn(session) }, effects: [.remember(session.user)])
    case .refused(let reason):
        return .next(model.copy { $0.state = .refused(reason: reason) }, effects: [.beep])
    case .remembered:
        return .noChange
    case .connectivityChanged(let isOnline):
        return isOnline
            ? .next(model.copy { $0.isOnline = true }, effects: [.refresh])
            : .next(model.copy { $0.isOnline = false })
    case .tick:
        guard case .signedIn = model.state else { return .noChange }
        return .next(model.copy { $0.secondsSignedIn += 1 })
    case .signOutTapped:
        guard case .signedIn(let session) = model.state else { return .noChange }
        return .next(LoginModel(name: model.name), effects: [.close(session)])
    }
}
