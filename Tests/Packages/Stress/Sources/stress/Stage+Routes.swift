import Dispatch
import MobiusCore

extension Stage {
    /// A route of every kind.
    var router: EffectRouter<Effect, Event> {
        let inLoop = EffectRouter<Effect, Event>()
            .routeCase(Effect.now).toEvent { task in
                self.handling(task)
                return .answered(life: task.life)
            }
            .routeCase(Effect.nothing).to { task in self.handling(task) }
            .routeCase(Effect.connected).to(Echo())
            .routeCase(Effect.cancel).cancels { _, effect in if case .newest = effect { true } else { false } }
            .routeCase(Effect.settled).to { life in
                self.expectOpen(life, "a life was settled")
                self.settled.signal()
            }
        return
            inLoop
            .routeCase(Effect.onQueue).on(queue: .global()).toEvent { life in .answered(life: life) }
            .routeCase(Effect.onMain).onMainActor().toEvent { life in .answered(life: life) }
            .routeCase(Effect.inTask).toEvent { life in await self.answer(life) }
            .routeCase(Effect.inTurn).executing(.sequentially).toEvent { life in await self.answer(life) }
            .routeCase(Effect.inPairs).executing(.concurrently(limit: 2)).toEvent { life in await self.answer(life) }
            .routeCase(Effect.newest).executing(.cancelPrevious).toEvent { life in
                await Task.yield()
                return .bonus(life: life)
            }
            .routeCase(Effect.stream).toEvents { life in
                AsyncStream { continuation in
                    for _ in 0..<2 { continuation.yield(.answered(life: life)) }
                    continuation.finish()
                }
            }
            .routeCase(Effect.twice).to { life, callback in
                DispatchQueue.global().async {
                    callback.send(.answered(life: life))
                    callback.end(with: .answered(life: life))
                }
                return AnonymousDisposable {}
            }
            .routeCase(Effect.late).to { (_: Int, callback: EffectCallback<Event>) -> any Disposable in
                self.keep(callback)
                return EmptyDisposable()
            }
    }

    private func answer(_ life: Int) async -> Event {
        await Task.yield()
        return .answered(life: life)
    }
}

/// Answers at once.
private struct Echo: Connectable {
    func connect(_ consumer: @escaping Consumer<StressLoop.Event>) -> Connection<Int> {
        Connection(acceptClosure: { life in consumer(.answered(life: life)) }, disposeClosure: {})
    }
}
