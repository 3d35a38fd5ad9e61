import MobiusCore

/// Loops in one process, as an app has them.
enum LoopWork {
    static let rows = [
        FixedWork.Row(name: "loop-event", unit: "event") {
            let loop = Mobius.loop(update: update, effectHandler: handler).start(from: 0)
            loop.dispatchEvent(.increment)
            counted { for _ in 0..<count { loop.dispatchEvent(.increment) } }
            precondition(loop.latestModel == count + 1, "All events were applied.")
            return count
        },
        FixedWork.Row(name: "routed-effect", unit: "effect") {
            let loop = Mobius.loop(update: update, effectHandler: handler).start(from: 0)
            loop.dispatchEvent(.ask)
            counted { for _ in 0..<count { loop.dispatchEvent(.ask) } }
            precondition(loop.latestModel == count + 1, "All effects were answered.")
            return count
        },
    ]

    private static let count = 8192

    private enum Event {
        case increment
        case ask
    }

    private enum Effect {
        case answer(by: Int)
    }

    @Sendable
    private static func update(_ model: Int, _ event: Event) -> Next<Int, Effect> {
        switch event {
        case .increment: .next(model + 1)
        case .ask: .dispatchEffects([.answer(by: 1)])
        }
    }

    private static var handler: AnyConnectable<Effect, Event> {
        EffectRouter<Effect, Event>().routeCase(Effect.answer).toEvent { _ in .increment }.asConnectable
    }
}
