import MobiusCore

/// The model of a small screen.
struct CounterModel: Sendable {
    var count = 0
    var title = "How often the button was tapped"
    var isEnabled = true
}

enum CounterEvent: Sendable {
    case increment
    case decrement
}

enum CounterEffect: Sendable {
    case play(sound: String)
}

/// What floor and loop both call, and neither knows.
struct CounterCode: Sendable {
    let update: @Sendable (CounterModel, CounterEvent) -> Next<CounterModel, CounterEffect>
    let observer: Consumer<CounterModel>

    static func make() -> CounterCode {
        let sink = Sink()
        return opaque(
            CounterCode(
                update: { model, event in
                    var new = model
                    switch event {
                    case .increment: new.count += 1
                    case .decrement:
                        guard model.count > 0 else { return .dispatchEffects([.play(sound: "bump")]) }
                        new.count -= 1
                    }
                    return .next(new)
                },
                observer: { model in sink.consume(model.count) }))
    }

    var loop: Mobius.Builder<CounterModel, CounterEvent, CounterEffect> {
        Mobius.loop(
            update: update,
            effectHandler: EffectRouter().routeCase(CounterEffect.play(sound:)).to { _ in }.asConnectable)
    }
}

extension LoopCase {
    static let counters = [
        LoopCase(
            name: "loop-event", batch: 20_000, makeFloor: { bareCounter(isObserved: false) },
            makeOurs: {
                let loop = CounterCode.make().loop.start(from: CounterModel())
                return { events in for _ in 0..<events { loop.dispatchEvent(.increment) } }
            }),
        LoopCase(
            name: "loop-event-observer", batch: 20_000, makeFloor: { bareCounter(isObserved: true) },
            makeOurs: {
                let code = CounterCode.make()
                let loop = code.loop.start(from: CounterModel())
                loop.addObserver(code.observer)
                return { events in for _ in 0..<events { loop.dispatchEvent(.increment) } }
            }),
    ]

    /// The model is kept as a loop keeps it: stored after each event, where the next one finds it.
    static func bareCounter(isObserved: Bool) -> Batch {
        let code = CounterCode.make()
        var model = CounterModel()
        return { events in
            for _ in 0..<events {
                let next = code.update(model, .increment)
                if let new = next.model {
                    model = new
                    if isObserved { code.observer(new) }
                }
                for effect in next.effects { fatalError("The counter has no effects here, but it has \(effect).") }
            }
            touch(&model)
        }
    }
}
