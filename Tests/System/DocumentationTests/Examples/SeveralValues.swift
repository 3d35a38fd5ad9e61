import MobiusCoordinator
import MobiusCore
import MobiusTestKit
import Testing

// example: effects
enum PostEffect: Codable, Equatable, Sendable {
    case send(to: String, text: String)
    case forward(from: String, to: String, text: String)
    case deliver(Parcel)
}

struct Parcel: Codable, Equatable, Sendable {
    var sender: String
    var receiver: String
    var grams: Int
}

enum PostEvent: Codable, Equatable, Sendable {
    case sent(to: String)
    case returned(to: String, reason: String)
}
// end

@Suite("The routers' page: cases with several values")
struct SeveralValues {
    private enum Post: LoopProgram {
        struct Model: Codable, Equatable, Sendable { var returned: [String] = [] }
        typealias Event = PostEvent
        typealias Effect = PostEffect

        static func initiate() -> First<Model, PostEffect> {
            First(
                model: Model(),
                effects: [
                    .send(to: "Ada", text: "1"), .forward(from: "Ada", to: "Grace", text: "2"),
                    .deliver(Parcel(sender: "Ada", receiver: "Joan", grams: 3)),
                ])
        }

        static func update(_ model: Model, _ event: PostEvent) -> Next<Model, PostEffect> {
            guard case .returned(let to, _) = event else { return .noChange }
            return .next(Model(returned: model.returned + [to]))
        }
    }

    /// There is no post today.
    private static var handlers: EffectRouter<PostEffect, PostEvent> {
        EffectRouter().routeEffects(withParameters: { $0 }).toWork { (_: PostEffect, _) async throws -> PostEvent in
            throw EffectFailed("no post", retryable: false)
        }
    }

    @Test("closures take two and three values apart; a struct keeps its names")
    func values() async throws {
        // example: several
        let router = EffectRouter<PostEffect, PostEvent>()
            .routeCase(PostEffect.send).toWorkers("post", attempts: 1) { address, text, failure in
                .returned(to: address, reason: "\(text.count) characters: \(failure)")
            }
            .routeCase(PostEffect.forward).toWorkers("post", attempts: 1) { sender, receiver, text, failure in
                .returned(to: sender, reason: "\(receiver) does not get \(text): \(failure)")
            }
            .routeCase(PostEffect.deliver).toWorkers("vans", attempts: 1) { parcel, failure in
                .returned(to: parcel.sender, reason: "\(parcel.grams) g: \(failure)")
            }
        // end
        let fleet = TestFleet(
            Post.self, routes: router, workers: [.pool("post") { Self.handlers }, .pool("vans") { Self.handlers }])
        try await fleet.runUntilQuiet()
        #expect(fleet.model.returned == ["Ada", "Ada", "Ada"])
        try await fleet.finish()
    }
}
