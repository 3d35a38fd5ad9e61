import Foundation
import MobiusCoordinator
import MobiusCore
import MobiusJournalPostgreSQL

/// A register and a set, for histories of which a test can say whether one process might have made them.
enum Register: InPlaceLoopProgram {
    struct Model: Codable, Sendable {
        var value = 0
        var members: Set<Int> = []
    }

    enum Event: Codable, Sendable {
        case write(Int)
        case insert(Int)
        /// Writes a random number, as no update should.
        case roll
        /// Has another loop insert the number.
        case pass(Int, to: String)
    }

    enum Effect: Codable, Sendable { case insert(Int, into: String) }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        switch event {
        case .write(let value): model.value = value
        case .insert(let member): model.members.insert(member)
        case .pass(let member, let loop): return .dispatchEffects([.insert(member, into: loop)])
        case .roll: model.value = .random(in: .min ... .max)
        }
        return .next()
    }
}

extension Register.Event: PayloadEvolution {
    /// Whether this is a later build: one whose events are of a version that the earlier one cannot read.
    private static let isLater = setting("REGISTER_LATER") != nil

    static let versions =
        isLater
        ? PayloadVersions("register.event", startingWith: Self.self).then(Self.self) { $0 }
        : PayloadVersions("register.event", startingWith: Self.self)
}

private func setting(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

@main struct RegisterCoordinator: CoordinatorCommand {
    typealias Program = Register

    var routes: Routes {
        Routes().routeCase(Register.Effect.insert).toLoop { member, loop in (loop: loop, event: .insert(member)) }
    }

    func configure(_ settings: inout CoordinatorSettings) {
        settings.journalOpeners = [.postgreSQL]
    }
}
