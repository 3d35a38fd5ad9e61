import MobiusCodec
import MobiusCore
import MobiusProgram
import MobiusWire

/// The handlers of several programs' routers: the loop that asks for an effect decides whose.
final class HandlersOfKinds: TypedHandlers {
    private let members: [String: any TypedHandlers]

    init(_ members: [String: any TypedHandlers]) {
        self.members = members
    }

    /// The handlers of these programs in this executor.
    static func handlers<Program>(
        _ functions: any ProgramFunctions<Program>, in executor: HandlerExecutor
    ) -> any TypedHandlers {
        var routers = Routers(executor: executor)
        functions.visitRouters(&routers)
        return routers.ofAll ?? HandlersOfKinds(routers.ofKinds)
    }

    var contentTypes: [String] {
        guard let first = members.values.first else { return [] }
        return first.contentTypes.filter { type in members.values.allSatisfy { $0.contentTypes.contains(type) } }
    }

    var effectKinds: [PayloadKind] { members.values.flatMap(\.effectKinds) }

    func start(_ run: EffectRun, _ scratch: inout CodingScratch) {
        let kind = LoopKind.name(of: run.attemptID.effect.loop)
        guard let handlers = members[kind] else {
            return run.end(with: HandlerFailure("this process has no handlers for loops of the kind \(kind)"))
        }
        handlers.start(run, &scratch)
    }

    func emptyCopy() -> any TypedHandlers { HandlersOfKinds(members.mapValues { $0.emptyCopy() }) }
}

private struct Routers: RouterVisitor {
    let executor: HandlerExecutor
    var ofAll: (any TypedHandlers)?
    var ofKinds: [String: any TypedHandlers] = [:]

    mutating func visit<Effect: Codable & Sendable, Event: Codable & Sendable>(
        _ router: EffectRouter<Effect, Event>, of kind: String?
    ) {
        let handlers = RouterHandlers(router, in: executor)
        if let kind { ofKinds[kind] = handlers } else { ofAll = handlers }
    }
}
