import MobiusCore
import MobiusExtras
import XCTest

/// The style of the wiki's first pages: everything local, functions passed by name.
class FirstStepsTests: XCTestCase {
    func testCounterWithLocalFunctions() {
        var printed: [String] = []
        func say(_ value: Any) {
            printed.append("\(value)")
        }
        enum Event { case up, down }
        enum Effect { case complain }

        func update(model: Int, event: Event) -> Next<Int, Effect> {
            switch event {
            case .up: return .next(model + 1)
            case .down: return model > 0 ? .next(model - 1) : .dispatchEffects([.complain])
            }
        }
        func complain() {
            say("error!")
        }

        let effectHandler = EffectRouter<Effect, Event>()
            .routeCase(Effect.complain).to(complain)
            .asConnectable
        let loop = Mobius.loop(update: update, effectHandler: effectHandler).start(from: 1)
        loop.addObserver { counter in say(counter) }
        loop.addObserver(say)
        loop.dispatchEvent(.down)
        loop.dispatchEvent(.down)
        loop.dispatchEvent(.up)
        loop.dispose()
        XCTAssertEqual(printed, ["1", "1", "0", "0", "error!", "1", "1"])
    }

    func testEachTargetByName() {
        enum Effect: Equatable { case load(id: Int), log(String), pair(Int, String), reset }
        enum Event: Equatable { case loaded(String), failed }

        func load(id: Int, callback: EffectCallback<Event>) -> Disposable {
            callback.end(with: .loaded("item \(id)"))
            return EmptyDisposable()
        }
        var logged: [String] = []
        func log(message: String) { logged.append(message) }
        func both(number: Int, text: String) -> Event? { .loaded("\(number) \(text)") }
        func reset() -> Event? { .failed }

        let handler = EffectRouter<Effect, Event>()
            .routeCase(Effect.load).to(load)
            .routeCase(Effect.log).to(log)
            .routeCase(Effect.pair).toEvent(both)
            .routeCase(Effect.reset).toEvent(reset)
        var events: [Event] = []
        let connection = handler.asConnectable.connect { events.append($0) }
        for effect in [Effect.load(id: 7), .log("hello"), .pair(1, "one"), .reset] { connection.accept(effect) }
        connection.dispose()
        XCTAssertEqual(events, [.loaded("item 7"), .loaded("1 one"), .failed])
        XCTAssertEqual(logged, ["hello"])
    }

    func testLoopsInAClass() {
        let screen = CounterScreen()
        screen.tapUp()
        screen.tapUp()
        XCTAssertEqual(screen.label, "2")
        screen.close()
        screen.tapUp()
        XCTAssertEqual(screen.label, "2")
    }
}

/// Holds its loop, and is held by nobody: closures capture it weakly.
class CounterScreen {
    private(set) var label = ""
    private var loop: MobiusLoop<Int, Bool, Never>?

    init() {
        // It builds as it is; static methods passed by name make Swift 5 mode warn, a closure round them does not.
        loop = Mobius.beginnerLoop(update: CounterScreen.update).start(from: 0)
        loop?.addObserver { [weak self] model in self?.render(model) }
    }

    deinit {
        loop?.dispose()
    }

    func tapUp() {
        loop?.dispatchEvent(true)
    }

    func close() {
        loop?.dispose()
    }

    private func render(_ model: Int) {
        label = "\(model)"
    }

    private static func update(model: Int, isUp: Bool) -> Int {
        isUp ? model + 1 : model - 1
    }
}
