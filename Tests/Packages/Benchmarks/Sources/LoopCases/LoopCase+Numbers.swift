import MobiusCore

/// What floor and loop both call, and neither knows.
private struct NumbersCode: Sendable {
    typealias Router = EffectRouter<CounterEffect, Int>

    /// Returns a new model; the old one is held meanwhile, so the array is copied.
    let update: @Sendable ([Int], Int) -> Next<[Int], CounterEffect>
    let inPlace: @Sendable (inout [Int], Int) -> Change<CounterEffect>
    let observer: Consumer<[Int]>

    static func make() -> NumbersCode {
        let sink = Sink()
        return opaque(
            NumbersCode(
                update: { model, index in
                    var new = model
                    new[index] += 1
                    return .next(new)
                },
                inPlace: { model, index in
                    model[index] += 1
                    return .next()
                },
                observer: { model in sink.consume(model[0]) }))
    }

    static var handler: AnyConnectable<CounterEffect, Int> {
        Router().routeCase(CounterEffect.play(sound:)).to { _ in }.asConnectable
    }
}

extension LoopCase {
    private static let small = 1000
    private static let large = 100_000
    /// Neighbouring events touch distant elements.
    private static let stride = 617

    static let numbers = [
        LoopCase(
            name: "loop-1000-ints-observer", batch: 4000, makeFloor: barePure,
            makeOurs: {
                let code = NumbersCode.make()
                let loop = Mobius.loop(update: code.update, effectHandler: NumbersCode.handler)
                    .start(from: [Int](repeating: 0, count: small))
                loop.addObserver(code.observer)
                return { events in for event in 0..<events { loop.dispatchEvent(event &* stride % small) } }
            }),
        LoopCase(
            name: "loop-100000-ints-in-place", batch: 20_000, makeFloor: { bareInPlace(isObserved: false) },
            makeOurs: { inPlace(isObserved: false) }),
        LoopCase(
            name: "loop-100000-ints-in-place-observer", batch: 20_000, makeFloor: { bareInPlace(isObserved: true) },
            makeOurs: { inPlace(isObserved: true) }),
    ]

    private static func inPlace(isObserved: Bool) -> Batch {
        let code = NumbersCode.make()
        let loop = Mobius.loop(update: Update(inPlace: code.inPlace), effectHandler: NumbersCode.handler)
            .start(from: [Int](repeating: 0, count: large))
        if isObserved { loop.addObserver(code.observer) }
        return { events in for event in 0..<events { loop.dispatchEvent(event &* stride % large) } }
    }

    private static func barePure() -> Batch {
        let code = NumbersCode.make()
        var model = [Int](repeating: 0, count: small)
        return { events in
            for event in 0..<events {
                guard let new = code.update(model, event &* stride % small).model else { continue }
                model = new
                code.observer(new)
            }
            touch(&model)
        }
    }

    private static func bareInPlace(isObserved: Bool) -> Batch {
        let code = NumbersCode.make()
        var model = [Int](repeating: 0, count: large)
        return { events in
            for event in 0..<events {
                let change = code.inPlace(&model, event &* stride % large)
                if change.changed, isObserved { code.observer(model) }
            }
            touch(&model)
        }
    }
}
