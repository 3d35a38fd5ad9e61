import MobiusCore
import MobiusExtras
import Testing

@Suite struct InnerUpdateTests {
    private struct Counter: Equatable {
        var count = 0
        var log: [Int] = []
    }

    private enum CounterEvent { case up, beep, nothing }
    private enum CounterEffect: Equatable { case beep, boop }

    private struct App: Equatable {
        var left = Counter()
        var right: Counter?
        var title = ""
    }

    private enum AppEvent { case left(CounterEvent), right(CounterEvent), rename(String) }
    private enum AppEffect: Equatable { case left(CounterEffect), right(CounterEffect), save }

    private static let counter = Update<Counter, CounterEvent, CounterEffect>(inPlace: { model, event in
        switch event {
        case .up:
            model.count += 1
            model.log.append(model.count)
            return .next(effects: [.beep, .boop])
        case .beep: return .dispatchEffects([.beep])
        case .nothing: return .noChange
        }
    })

    private static let left = InnerUpdate(
        model: \App.left, event: { (event: AppEvent) in if case .left(let event) = event { event } else { nil } },
        update: counter, effect: AppEffect.left)

    private static let right = InnerUpdate(
        ifPresent: \App.right,
        event: { (event: AppEvent) in if case .right(let event) = event { event } else { nil } },
        update: counter, effect: AppEffect.right)

    private static let app = left.otherwise(
        right.otherwise(
            Update { model, event in
                guard case .rename(let title) = event else { return .noChange }
                var new = model
                new.title = title
                return .next(new, effects: [.save])
            }))

    @Test func `a child changes its part, and its effects become the parent's, in order`() {
        #expect(
            Self.left.update(model: App(title: "a"), event: .left(.up))
                == .next(
                    App(left: Counter(count: 1, log: [1]), title: "a"), effects: [.left(.beep), .left(.boop)]))
        #expect(Self.left.update(model: App(), event: .left(.beep)) == .dispatchEffects([.left(.beep)]))
        #expect(Self.left.update(model: App(), event: .left(.nothing)) == .noChange)
    }

    @Test func `events that are not the child's do nothing, or go on`() {
        #expect(Self.left.update(model: App(), event: .rename("a")) == .noChange)
        #expect(Self.left.asUpdate.update(model: App(), event: .rename("a")) == .noChange)
        var model = App()
        #expect(Self.left.step(&model, .rename("a")) == nil)
        #expect(Self.left.step(&model, .left(.nothing)) == .noChange)
        #expect(model == App())
        #expect(Self.app.update(model: App(), event: .rename("a")) == .next(App(title: "a"), effects: [.save]))
    }

    @Test func `a child that is not there does nothing; one that is, works`() {
        #expect(Self.app.update(model: App(), event: .right(.up)) == .noChange)
        let there = App(right: Counter(count: 4))
        #expect(
            Self.app.update(model: there, event: .right(.up))
                == .next(App(right: Counter(count: 5, log: [5])), effects: [.right(.beep), .right(.boop)]))
    }

    @Test func `the parent may decide what follows from a child's change`() {
        let parent = InnerUpdate<App, CounterEvent, AppEffect>(
            model: \App.left, event: { $0 }, update: Self.counter,
            effects: { model, change in
                guard change.changed else { return .dispatchEffects([.save]) }
                model.title = "count \(model.left.count), \(change.effects.count) effects"
                return .noChange
            })
        // Published in any case, because the child has changed it.
        #expect(
            parent.update(model: App(), event: .up)
                == .next(App(left: Counter(count: 1, log: [1]), title: "count 1, 2 effects")))
        #expect(parent.update(model: App(), event: .beep) == .dispatchEffects([.save]))
    }

    @Test func `with functions, a child may live in an enum`() {
        enum Screen: Equatable { case counting(Int), done }
        enum Effect: Equatable { case told(Int, Bool) }
        let screen = InnerUpdate<Screen, Int?, Effect>(
            modelExtractor: { if case .counting(let count) = $0 { count } else { 0 } },
            eventExtractor: { $0 },
            innerUpdate: Update { (model: Int, event: Int) -> Next<Int, Int> in
                event == 0 ? .dispatchEffects([7]) : .next(model + event, effects: [8, 9])
            },
            modelUpdater: { _, count in count > 9 ? .done : .counting(count) },
            innerEffectHandler: { model, changed, effects in
                let effects = effects.map { Effect.told($0, changed) }
                return changed ? .next(model, effects: effects) : .dispatchEffects(effects)
            })
        #expect(
            screen.update(model: .counting(3), event: 2)
                == .next(.counting(5), effects: [.told(8, true), .told(9, true)]))
        #expect(
            screen.update(model: .counting(3), event: 7) == .next(.done, effects: [.told(8, true), .told(9, true)]))
        #expect(screen.update(model: .counting(3), event: 0) == .dispatchEffects([.told(7, false)]))
        #expect(screen.update(model: .counting(3), event: nil) == .noChange)
    }

    @Test(arguments: [false, true])
    func `in a loop nothing of the child's is copied`(isOptional: Bool) {
        let loop = Mobius.loop(
            update: Self.app, effectHandler: EffectRouter<AppEffect, AppEvent> { _ in .nothing }
        ).start(
            from: App(
                left: Counter(log: Array(repeating: 0, count: 100)),
                right: Counter(log: Array(repeating: 0, count: 100))))
        func log() -> [Int] { (isOptional ? loop.latestModel.right : loop.latestModel.left)?.log ?? [] }
        func place() -> UInt { log().withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
        // After these 150 the log has room for at least 150 more: its storage doubles when it is full.
        for _ in 0..<150 { loop.dispatchEvent(isOptional ? .right(.up) : .left(.up)) }
        let before = place()
        for _ in 0..<10 { loop.dispatchEvent(isOptional ? .right(.up) : .left(.up)) }
        #expect(log().suffix(3) == [158, 159, 160])
        #expect(place() == before)
        loop.dispose()
    }
}
