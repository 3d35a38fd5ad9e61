import MobiusCodec
package import MobiusCore
import MobiusProgram
import MobiusWire

/// The handlers of several routers in one process.
final class SeveralHandlers: TypedHandlers {
    /// What decides whose handler runs an effect.
    enum Selection {
        /// The kind of the loop that asks for it: in a coordinator, whose programs may share types.
        case kindOfLoop
        /// The name of its type: in a worker, which knows types only.
        case typeOfEffect

        func name(of run: EffectRun) -> String {
            switch self {
            case .kindOfLoop: LoopKind.name(of: run.attemptID.effect.loop)
            case .typeOfEffect: run.kind.type
            }
        }

        func complaint(about name: String) -> String {
            switch self {
            case .kindOfLoop: "this process has no handlers for loops of the kind \(name)"
            case .typeOfEffect: "this process has no handlers for effects of the type \(name)"
            }
        }
    }

    private let members: [any TypedHandlers]
    /// The place of a name's handlers among the members.
    private let places: [String: Int]
    private let selection: Selection

    init(_ members: [any TypedHandlers], at places: [String: Int], by selection: Selection) {
        self.members = members
        self.places = places
        self.selection = selection
    }

    /// The handlers of these programs in this executor.
    static func handlers<Program>(
        _ functions: any ProgramFunctions<Program>, in executor: HandlerExecutor
    ) -> any TypedHandlers {
        var routers = Routers(executor: executor)
        functions.visitRouters(&routers)
        return routers.ofAll ?? SeveralHandlers(routers.members, at: routers.places, by: .kindOfLoop)
    }

    /// The handlers of these routers in this executor.
    static func handlers(_ routers: [ErasedRouter], in executor: HandlerExecutor) -> any TypedHandlers {
        let members = routers.map { $0.handlers(executor) }
        if members.count == 1 { return members[0] }
        var places: [String: Int] = [:]
        for (place, router) in routers.enumerated() {
            // A former name that several have says nothing.
            for name in router.formerNames where routers.count(where: { $0.formerNames.contains(name) }) == 1 {
                places[name] = place
            }
        }
        for (place, router) in routers.enumerated() { places[router.typeName] = place }
        return SeveralHandlers(members, at: places, by: .typeOfEffect)
    }

    var contentTypes: [String] {
        guard let first = members.first else { return [] }
        return first.contentTypes.filter { type in members.allSatisfy { $0.contentTypes.contains(type) } }
    }

    var effectKinds: [PayloadKind] { members.flatMap(\.effectKinds) }

    func start(_ run: EffectRun, _ scratch: inout CodingScratch) {
        let name = selection.name(of: run)
        guard let place = places[name] else { return run.end(with: HandlerFailure(selection.complaint(about: name))) }
        members[place].start(run, &scratch)
    }

    func emptyCopy() -> any TypedHandlers {
        SeveralHandlers(members.map { $0.emptyCopy() }, at: places, by: selection)
    }
}

private struct Routers: RouterVisitor {
    let executor: HandlerExecutor
    var ofAll: (any TypedHandlers)?
    var members: [any TypedHandlers] = []
    var places: [String: Int] = [:]

    mutating func visit<Effect: Codable & Sendable, Event: Codable & Sendable>(
        _ router: EffectRouter<Effect, Event>, of kind: String?
    ) {
        let handlers = RouterHandlers(router, in: executor)
        guard let kind else {
            ofAll = handlers
            return
        }
        places[kind] = members.count
        members.append(handlers)
    }
}

/// A router without its types.
package struct ErasedRouter: Sendable {
    let handlers: @Sendable (HandlerExecutor) -> any TypedHandlers
    /// The name of the effects' type.
    package let typeName: String
    /// Other names under which it is read.
    let formerNames: Set<String>

    /// The names under which these routers read effects, each once; none when one of them would be cut on its way to the
    /// coordinator, or they are too many for it.
    package static func effectTypes(of routers: [ErasedRouter]) -> [String] {
        let names = Set(routers.flatMap { $0.formerNames.union([$0.typeName]) }).sorted()
        return names.count <= Hello.maximumEffectTypes && names.allSatisfy { $0.utf8.count < 256 } ? names : []
    }

    /// Erases the types of a router.
    package init<Effect: Codable & Sendable, Event: Codable & Sendable>(_ router: EffectRouter<Effect, Event>) {
        handlers = { RouterHandlers(router, in: $0) }
        let codec = TypedCodec<Effect>.json()
        (typeName, formerNames) = (codec.kind.type, codec.names.subtracting([codec.kind.type]))
    }
}
