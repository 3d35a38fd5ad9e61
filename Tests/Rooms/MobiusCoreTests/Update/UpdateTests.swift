import Greeter
import MobiusCore
import Testing

@Suite struct UpdateTests {
    enum Event: Codable, Sendable { case add(Int), ask, nothing }
    enum Effect: Codable, Sendable, Equatable { case tell(Int) }

    /// Changes its model in place.
    enum Sums: InPlaceLoopProgram {
        typealias Model = [Int]
        typealias Event = UpdateTests.Event
        typealias Effect = UpdateTests.Effect

        static func initiate() -> First<Model, Effect> { First(model: []) }

        static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
            switch event {
            case .add(let number):
                model.append(number)
                return .next(effects: [.tell(number)])
            case .ask: return .dispatchEffects([.tell(model.count)])
            case .nothing: return .noChange
            }
        }
    }

    /// The same, returning new models.
    static func pure(_ model: [Int], _ event: Event) -> Next<[Int], Effect> {
        switch event {
        case .add(let number): .next(model + [number], effects: [.tell(number)])
        case .ask: .dispatchEffects([.tell(model.count)])
        case .nothing: .noChange
        }
    }

    static let forms: [Update<[Int], Event, Effect>] = [
        Update(pure), Update(inPlace: Sums.update), Update(Sums.self),
    ]

    @Test(arguments: forms.indices) func `every form says the same of an event`(form: Int) {
        let update = Self.forms[form]
        #expect(update(model: [1], event: .add(2)) == .next([1, 2], effects: [.tell(2)]))
        #expect(update.update(model: [1], event: .ask) == .dispatchEffects([.tell(1)]))
        #expect(update(model: [1], event: .nothing) == .noChange)
    }

    @Test func `closures that fit both forms are pure, and those that change the model are not`() {
        typealias Sums = Update<[Int], Event, Effect>
        let nothing = Sums { _, _ in .noChange }
        let tells = Sums { _, _ in .dispatchEffects([.tell(1)]) }
        let switches = Sums { model, event in
            switch event {
            case .add: return .noChange
            case .ask: return .dispatchEffects([.tell(model.count)])
            case .nothing: return .noChange
            }
        }
        let expression = Sums { _, event in
            switch event {
            case .ask: .dispatchEffects([.tell(1)])
            case .add, .nothing: .noChange
            }
        }
        let inPlace = Sums { model, _ in
            model.append(1)
            return .next(effects: [.tell(model.count)])
        }
        let labelled = Sums(inPlace: { _, _ in .noChange })
        #expect([nothing, tells, switches, expression].map(Self.isPure) == [true, true, true, true])
        #expect([inPlace, labelled].map(Self.isPure) == [false, false])
        #expect(tells(model: [], event: .ask) == .dispatchEffects([.tell(1)]))
        #expect(switches(model: [1], event: .ask) == expression(model: [1], event: .ask))
        #expect(inPlace(model: [], event: .nothing) == .next([1], effects: [.tell(1)]))
        let loop = Mobius.loop(
            update: { (_: Int, _: Int) -> Next<Int, Int> in .noChange }, effectHandler: EffectRouter<Int, Int>()
        ).start(from: 1)
        #expect(loop.latestModel == 1)
    }

    /// Which form it is shows in its description only.
    private static func isPure(_ update: Update<[Int], Event, Effect>) -> Bool {
        String(describing: update).contains("pure")
    }

    @Test(arguments: forms.indices) func `every form can step in place`(form: Int) {
        let update = Self.forms[form]
        var model = [1]
        #expect(update.step(&model, .add(2)) == .next(effects: [.tell(2)]))
        #expect(model == [1, 2])
        #expect(update.step(&model, .ask) == .dispatchEffects([.tell(2)]))
        #expect(update.step(&model, .nothing) == .noChange)
        #expect(model == [1, 2])
    }

    @Test func `a model that is equal to the last one still counts as changed`() {
        var model = 1
        let update = Update<Int, Event, Effect> { model, _ in .next(model) }
        #expect(update.step(&model, .ask).changed)
    }

    @Test func `in place, a large model stays where it is`() {
        var model = Array(0..<1000)
        model.reserveCapacity(2000)
        let place = model.withUnsafeBufferPointer(\.baseAddress)
        _ = Sums.step(&model, .add(1))
        _ = Update(Sums.self).step(&model, .add(2))
        #expect(model.withUnsafeBufferPointer(\.baseAddress) == place)
        #expect(model.count == 1002)
    }

    @Test func `a pure program steps by its update`() {
        let first = Greeter.initiate()
        #expect(first.effects.isEmpty)
        var model = first.model
        #expect(Greeter.step(&model, .guestArrived("Ada")) == .dispatchEffects([.greet("Ada")]))
        #expect(model == first.model)
        #expect(Greeter.step(&model, .greeted("Ada")) == .next())
        #expect(Greeter.step(&model, .greetingFailed("Bob", "hoarse")) == .next())
        #expect(model.greeted == ["Ada"])
        #expect(model.missed == ["Bob": "hoarse"])
    }
}
