import FleetTestSupport
import MobiusCore
import MobiusExtras
import Testing

/// What apps in Swift 6 mode do with loops: everything crosses tasks, without a warning.
@Suite struct SendableUseTests {
    private struct Model: Sendable, Equatable {
        var total = 0
        var saved = 0
    }

    private enum Event: Sendable { case add(Int), saved(Int) }
    private enum Effect: Sendable, Equatable { case save(Int) }

    /// An actor that effects are handed to.
    private actor Store {
        private(set) var numbers: [Int] = []

        func save(_ number: Int) -> Int {
            numbers.append(number)
            return numbers.count
        }
    }

    private static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var new = model
        switch event {
        case .add(let number):
            new.total += number
            return .next(new, effects: [.save(new.total)])
        case .saved(let count):
            new.saved = count
            return .next(new)
        }
    }

    private static func builder(_ store: Store) -> Mobius.Builder<Model, Event, Effect> {
        Mobius.loop(
            update: update,
            effectHandler: EffectRouter<Effect, Event>()
                .routeCase(Effect.save).toEvent { number async in .saved(await store.save(number)) })
    }

    @Test func `tasks share a loop, and read its models as a sequence`() async {
        let store = Store()
        let loop = Self.builder(store).start(from: Model())
        let models = loop.models
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<25 { loop.dispatchEvent(.add(1)) }
                }
            }
        }
        var last = Model()
        for await model in models {
            last = model
            if model == Model(total: 200, saved: 200) { break }
        }
        #expect(last == Model(total: 200, saved: 200))
        #expect(await store.numbers.sorted() == Array(1...200))
        loop.dispose()
    }

    @Test func `a controller is started in one task and watched in another, until it is gone`() async {
        let totals: Task<[Int], Never>
        do {
            let controller = Self.builder(Store())
                .withLogger(CompositeLogger().addLogger(SimpleLogger(consumer: { _ in })))
                .makeController(from: Model())
            totals = Task { [models = controller.models] in
                var totals: [Int] = []
                for await model in models where model.total != totals.last { totals.append(model.total) }
                return totals
            }
            let subject = QueueingEventSubject<Event>(capacity: 4)
            let view = AnyConnectable<Model, Event> { consumer in
                let subscription = subject.subscribe(consumer: consumer)
                return Connection(acceptClosure: { _ in }, disposeClosure: { subscription.dispose() })
            }
            await Task.detached {
                controller.connectView(view)
                controller.start()
            }.value
            for number in 1...3 { subject.send(.add(number)) }
            await Task.detached { controller.stop() }.value
            #expect(controller.model.total == 6)
        }
        #expect(await totals.value == [0, 1, 3, 6])
    }

    @MainActor
    @Test func `a view on the main actor is shown each model there`() async {
        let shown = Journey<Int>()
        let loop = Mobius.beginnerLoop(update: { (model: Int, event: Int) in model + event }).start(from: 0)
        let reading = Task { @MainActor in
            for await model in loop.models {
                MainActor.assertIsolated()
                shown.add(model)
                if model == 6 { loop.dispose() }
            }
        }
        await Task.detached {
            for number in 1...3 { loop.dispatchEvent(number) }
        }.value
        await reading.value
        #expect(shown.elements.last == 6)
        #expect(shown.elements == shown.elements.sorted())
    }

    @Test func `connectables are values that any task may connect`() async {
        let doubled = ConnectableDoubler().map { $0 + 1 }.contramap { (text: String) in text.count }
        let outputs = Journey<Int>()
        await Task.detached {
            let connection = doubled.connect { outputs.add($0) }
            connection.accept("three")
            connection.dispose()
        }.value
        #expect(outputs.elements == [11])
    }
}

/// A subclass without state of its own: nothing to guard.
private final class ConnectableDoubler: ConnectableClass<Int, Int>, @unchecked Sendable {
    override func handle(_ input: Int) { send(input * 2) }
    override func onDispose() {}
}
