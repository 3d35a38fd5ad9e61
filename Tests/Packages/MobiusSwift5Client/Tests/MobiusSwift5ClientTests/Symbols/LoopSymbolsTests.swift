import Foundation
import MobiusCore
import XCTest

private typealias Builder = Mobius.Builder<Int, String, Int>

/// Sends what it is told to.
private class Source: EventSource {
    private var consumer: Consumer<String>?

    func subscribe(consumer: @escaping Consumer<String>) -> Disposable {
        self.consumer = consumer
        return AnonymousDisposable { self.consumer = nil }
    }

    func send(_ event: String) {
        consumer?(event)
    }
}

private struct QuietLogger: MobiusLogger {
    typealias Model = Int
    typealias Event = String
    typealias Effect = Int
}

private class CountingLogger: MobiusLogger {
    var calls: [String] = []

    func willInitiate(model: Int) { calls.append("willInitiate") }
    func didInitiate(model: Int, first: First<Int, Int>) { calls.append("didInitiate") }
    func willUpdate(model: Int, event: String) { calls.append("willUpdate") }
    func didUpdate(model: Int, event: String, next: Next<Int, Int>) { calls.append("didUpdate") }
}

class LoopSymbolsTests: XCTestCase {
    private let silent = AnyConnectable<Int, String> { _ in
        Connection(acceptClosure: { _ in }, disposeClosure: {})
    }

    private func add(model: Int, event: String) -> Next<Int, Int> {
        event.isEmpty ? .noChange : .next(model + event.count, effects: [event.count])
    }

    func testUpdatesWithoutAModel() {
        let nothing = Update<Int, String, Int> { _, _ in .noChange }
        let effects = Update<Int, String, Int> { _, _ in .dispatchEffects([1]) }
        let both = Update<Int, String, Int> { model, event in
            switch event {
            case "": return .noChange
            default: return .dispatchEffects([model])
            }
        }
        XCTAssertNil(nothing.update(model: 1, event: "a").model)
        XCTAssertEqual(effects.update(model: 1, event: "a").effects, [1])
        XCTAssertEqual(both.update(model: 2, event: "a").effects, [2])
        let loop = Mobius.loop(update: Update { _, _ in .noChange }, effectHandler: silent).start(from: 1)
        loop.dispatchEvent("a")
        XCTAssertEqual(loop.latestModel, 1)
    }

    func testEventSources() {
        let source = Source()
        let wrap: (Source) -> AnyEventSource<String> = AnyEventSource<String>.init
        let make: (@escaping (@escaping Consumer<String>) -> Disposable) -> AnyEventSource<String> =
            AnyEventSource<String>.init
        let events = Notes<String>()
        let composite: AnyEventSource<String> = CompositeEventSourceBuilder<String>()
            .addEventSource(wrap(source))
            .addEventSource(
                make { consumer in
                    consumer("first")
                    return EmptyDisposable()
                }
            ).build()
        let subscribe: (@escaping Consumer<String>) -> Disposable = composite.subscribe(consumer:)
        let subscription = subscribe { events.add($0) }
        source.send("second")
        subscription.dispose()
        source.send("third")
        XCTAssertEqual(events.values, ["first", "second"])

        let builder: () -> CompositeEventSourceBuilder<String> = CompositeEventSourceBuilder<String>.init
        let addSource: (Source) -> CompositeEventSourceBuilder<String> = builder().addEventSource
        let build: () -> AnyEventSource<String> = addSource(source).build
        build().subscribe { events.add($0) }.dispose()
    }

    func testFirstAndNext() {
        let makeFirst: (Int, [Int]) -> First<Int, Int> = First<Int, Int>.init(model:effects:)
        let first = makeFirst(1, [2])
        let (model, effects): (Int, [Int]) = (first.model, first.effects)
        XCTAssertEqual(model, 1)
        XCTAssertEqual(effects, [2])
        XCTAssertEqual(First<Int, Int>(model: 1).effects, [])
        XCTAssertEqual(Mirror(reflecting: first).children.map(\.label), ["model", "effects"])

        let next: (Int, [Int]) -> Next<Int, Int> = Next<Int, Int>.next(_:effects:)
        let dispatch: ([Int]) -> Next<Int, Int> = Next<Int, Int>.dispatchEffects
        let noChange: Next<Int, Int> = .noChange
        let equal: (Next<Int, Int>, Next<Int, Int>) -> Bool = (==)
        let newModel: Int? = next(1, [2]).model
        XCTAssertEqual(newModel, 1)
        XCTAssertEqual(dispatch([3]).effects, [3])
        XCTAssertTrue(equal(.next(1), next(1, [])))
        XCTAssertFalse(equal(noChange, .next(1)))
        XCTAssertEqual(next(1, [2]).debugDescription, "(1, [2])")
        XCTAssertEqual(Next<String, Int>.next("m", effects: [2]).debugDescription, "(\"m\", [2])")
        XCTAssertEqual(String(describing: dispatch([3])), "(nil, [3])")
    }

    func testUpdate() {
        let make: (@escaping (Int, String) -> Next<Int, Int>) -> Update<Int, String, Int> =
            Update<Int, String, Int>.init
        let update = make(add)
        let function: (Int, String) -> Next<Int, Int> = update.update(model:event:)
        XCTAssertEqual(function(1, "ab"), .next(3, effects: [2]))
        XCTAssertEqual(update(model: 1, event: ""), .noChange)
        let call: (Int, String) -> Next<Int, Int> = update.callAsFunction(model:event:)
        XCTAssertEqual(call(1, "a"), .next(2, effects: [1]))
        let initiate: Initiate<Int, Int> = { First(model: $0 + 1) }
        XCTAssertEqual(initiate(1).model, 2)
    }

    func testBuilder() {
        let fromFunction: (@escaping (Int, String) -> Next<Int, Int>, AnyConnectable<Int, String>) -> Builder =
            Mobius.loop(update:effectHandler:)
        let fromUpdate: (Update<Int, String, Int>, AnyConnectable<Int, String>) -> Builder =
            Mobius.loop(update:effectHandler:)
        let source = Source()
        let logger = CountingLogger()
        let builder = fromFunction(add, silent)
        let withSource: (Source) -> Builder = builder.withEventSource
        let withLogger: (CountingLogger) -> Builder = withSource(source).withLogger
        let withTransformer: (@escaping ConsumerTransformer<String>) -> Builder =
            withLogger(logger).withEventConsumerTransformer
        let transformed = Notes<String>()
        let complete: Builder = withTransformer { consumer in
            { event in
                transformed.add(event)
                consumer(event + "!")
            }
        }
        let start: (Int, [Int]) -> MobiusLoop<Int, String, Int> = complete.start(from:effects:)
        let loop = start(1, [])
        source.send("a")
        XCTAssertEqual(loop.latestModel, 3)
        XCTAssertEqual(transformed.values, ["a"])
        XCTAssertEqual(logger.calls, ["willInitiate", "didInitiate", "willUpdate", "didUpdate"])
        loop.dispose()

        let models = AnyConnectable<Int, String> { consumer in
            Connection(acceptClosure: { if $0 == 2 { consumer("two") } }, disposeClosure: {})
        }
        let withModels: (AnyConnectable<Int, String>) -> Builder = fromUpdate(Update(add), silent).withEventSource
        let second = withModels(models).start(from: 1)
        second.dispatchEvent("a")
        XCTAssertEqual(second.latestModel, 5)
        second.dispose()
    }

    func testLoop() {
        let loop: MobiusLoop<Int, String, Int> = Mobius.loop(update: add, effectHandler: silent).start(from: 1)
        let models = Notes<Int>()
        let addObserver: (@escaping Consumer<Int>) -> Disposable = loop.addObserver
        let observer = addObserver { models.add($0) }
        let dispatch: (String) -> Void = loop.dispatchEvent
        let unguarded: (String) -> Void = loop.unguardedDispatchEvent
        dispatch("a")
        unguarded("bb")
        observer.dispose()
        dispatch("c")
        XCTAssertEqual(models.values, [1, 2, 4])
        let latest: Int = loop.latestModel
        XCTAssertEqual(latest, 5)
        XCTAssertEqual(loop.debugDescription, "MobiusLoop<Int, String, Int>{ 5 }")
        XCTAssertEqual(String(describing: loop), "MobiusLoop<Int, String, Int>{ 5 }")
        let disposable: Disposable = loop
        disposable.dispose()
        XCTAssertEqual(loop.debugDescription, "disposed MobiusLoop<Int, String, Int>!")
    }

    func testLoggers() {
        let quiet = QuietLogger()
        quiet.willInitiate(model: 1)
        quiet.didInitiate(model: 1, first: First(model: 1))
        quiet.willUpdate(model: 1, event: "a")
        quiet.didUpdate(model: 1, event: "a", next: .noChange)

        let counting = CountingLogger()
        let wrap: (CountingLogger) -> AnyMobiusLogger<Int, String, Int> = AnyMobiusLogger<Int, String, Int>.init
        let any = wrap(counting)
        let willInitiate: (Int) -> Void = any.willInitiate(model:)
        let didInitiate: (Int, First<Int, Int>) -> Void = any.didInitiate(model:first:)
        let willUpdate: (Int, String) -> Void = any.willUpdate(model:event:)
        let didUpdate: (Int, String, Next<Int, Int>) -> Void = any.didUpdate(model:event:next:)
        willInitiate(1)
        didInitiate(1, First(model: 1))
        willUpdate(1, "a")
        didUpdate(1, "a", .noChange)
        XCTAssertEqual(counting.calls, ["willInitiate", "didInitiate", "willUpdate", "didUpdate"])
    }
}
