import Foundation
import MobiusCore
import XCTest

private enum Effect: Equatable {
    case plain
    case number(Int)
    case pair(left: Int, right: String)
    indirect case nested(Effect)
}

/// Not `Equatable`, as its payload is a class.
private enum LooseEffect {
    case plain
    case object(NSObject)
}

private typealias Event = String

private struct NumberHandler: EffectHandler {
    func handle(_ effectParameters: Int, _ callback: EffectCallback<String>) -> Disposable {
        callback.end(with: "number \(effectParameters)", "done")
        return EmptyDisposable()
    }
}

class EffectSymbolsTests: XCTestCase {
    func testEffectCallback() {
        var story: [String] = []
        let make: (@escaping (Int) -> Void, @escaping () -> Void) -> EffectCallback<Int> =
            EffectCallback<Int>.init(onSend:onEnd:)
        let callback = make({ story.append("\($0)") }, { story.append("end") })
        let send: (Int) -> Void = callback.send
        let end: () -> Void = callback.end
        let endWithAll: ([Int]) -> Void = callback.end(with:)
        let ended: Bool = callback.ended
        XCTAssertFalse(ended)
        send(1)
        callback.end(with: 2, 3)
        XCTAssertTrue(callback.ended)
        end()
        endWithAll([4])
        send(5)
        XCTAssertEqual(story, ["1", "2", "3", "end"])
    }

    func testEffectHandlers() {
        let wrap: (NumberHandler) -> AnyEffectHandler<Int, String> = AnyEffectHandler<Int, String>.init(handler:)
        let make: (@escaping (Int, EffectCallback<String>) -> Disposable) -> AnyEffectHandler<Int, String> =
            AnyEffectHandler<Int, String>.init(handle:)
        var events: [String] = []
        let handlers = [
            wrap(NumberHandler()),
            make { number, callback in
                callback.send("closure \(number)")
                return EmptyDisposable()
            },
        ]
        for handler in handlers {
            let handle: (Int, EffectCallback<String>) -> Disposable = handler.handle
            _ = handle(7, EffectCallback(onSend: { events.append($0) }, onEnd: {}))
        }
        XCTAssertEqual(events, ["number 7", "done", "closure 7"])
    }

    private func events(
        of router: EffectRouter<Effect, Event>, for effects: Effect...
    ) -> [Event] {
        var events: [Event] = []
        let connectable: AnyConnectable<Effect, Event> = router.asConnectable
        let connection = connectable.connect { events.append($0) }
        effects.forEach(connection.accept)
        connection.dispose()
        return events
    }

    func testRoutes() {
        var forgotten: [Int] = []
        let queue = DispatchQueue(label: "routes")
        let router: EffectRouter<Effect, Event> = EffectRouter<Effect, Event>()
            .routeEffects(equalTo: .plain).toEvent { (effect: Effect) -> Event? in "\(effect)" }
            .routeCase(Effect.number).to { (number: Int) -> Void in forgotten.append(number) }
            .routeCase(Effect.pair).to { (pair: (left: Int, right: String), callback) -> Disposable in
                callback.end(with: ["\(pair.left)", pair.right])
                return EmptyDisposable()
            }
            .routeEffects(withParameters: { (effect: Effect) -> Int? in
                guard case .nested(.number(let number)) = effect else { return nil }
                return number
            }).to(NumberHandler())
        XCTAssertEqual(
            events(
                of: router, for: .plain, .number(1), .pair(left: 2, right: "two"), .nested(.number(3)), .number(4)),
            ["plain", "2", "two", "number 3", "done"])
        XCTAssertEqual(forgotten, [1, 4])

        var connection: Connection<Effect>?
        let arrived = expectation(description: "event of a handler on a queue")
        let queued: EffectRouter<Effect, Event> = EffectRouter<Effect, Event>()
            .routeCase(Effect.nested).on(queue: queue).toEvent { inner in
                dispatchPrecondition(condition: .onQueue(queue))
                return "\(inner)"
            }
        connection = queued.asConnectable.connect { event in
            XCTAssertEqual(event, "plain")
            arrived.fulfill()
        }
        connection?.accept(.nested(.plain))
        wait(for: [arrived], timeout: 60)
        connection?.dispose()
    }

    func testRoutesToConnectables() {
        let echo = AnyConnectable<Void, Event> { consumer in
            Connection(acceptClosure: { consumer("plain") }, disposeClosure: { consumer("too late") })
        }
        let router = EffectRouter<Effect, Event>().routeCase(Effect.plain).to(echo)
        XCTAssertEqual(events(of: router, for: .plain, .plain), ["plain", "plain"])
    }

    func testRoutesOfEffectsThatAreNotEquatable() {
        var events: [String] = []
        let object = NSObject()
        let connection = EffectRouter<LooseEffect, String>()
            .routeCase(LooseEffect.plain).toEvent { "plain" }
            .routeCase(LooseEffect.object).toEvent { $0 === object ? "object" : nil }
            .asConnectable.connect { events.append($0) }
        connection.accept(.plain)
        connection.accept(.object(object))
        connection.accept(.object(NSObject()))
        connection.dispose()
        XCTAssertEqual(events, ["plain", "object"])
    }

    /// The declarations as values.
    func testSignatures() {
        let router = EffectRouter<Effect, Event>()
        let withParameters: (@escaping (Effect) -> Int?) -> _PartialEffectRouter<Effect, Int, Event> =
            router.routeEffects(withParameters:)
        let equalTo: (Effect) -> _PartialEffectRouter<Effect, Effect, Event> = router.routeEffects(equalTo:)
        let payload: (@escaping (Int) -> Effect) -> _PartialEffectRouter<Effect, Int, Event> = router.routeCase
        let bare: (Effect) -> _PartialEffectRouter<Effect, Void, Event> = router.routeCase
        let loose: (LooseEffect) -> _PartialEffectRouter<LooseEffect, Void, Event> =
            EffectRouter<LooseEffect, Event>().routeCase
        let make: () -> EffectRouter<Effect, Event> = EffectRouter.init
        _ = make()
        let partial: _PartialEffectRouter<Effect, Int, Event> = payload(Effect.number)
        let on: (DispatchQueue) -> _PartialEffectRouter<Effect, Int, Event> = partial.on(queue:)
        let toHandler: (NumberHandler) -> EffectRouter<Effect, Event> = partial.to
        let toConnectable: (AnyConnectable<Int, Event>) -> EffectRouter<Effect, Event> = partial.to
        let toClosure: (@escaping (Int, EffectCallback<Event>) -> Disposable) -> EffectRouter<Effect, Event> =
            partial.to
        let forget: (@escaping (Int) -> Void) -> EffectRouter<Effect, Event> = partial.to
        let toEvent: (@escaping (Int) -> Event?) -> EffectRouter<Effect, Event> = partial.toEvent

        var forgotten: [Int] = []
        let number = { (effect: Effect) -> Int? in
            guard case .number(let number) = effect else { return nil }
            return number
        }
        XCTAssertEqual(events(of: withParameters(number).toEvent { "\($0)" }, for: .number(1)), ["1"])
        XCTAssertEqual(events(of: equalTo(.plain).toEvent { "\($0)" }, for: .plain), ["plain"])
        XCTAssertEqual(events(of: bare(.plain).toEvent { _ in "bare" }, for: .plain), ["bare"])
        _ = loose(.plain).toEvent { _ in nil }
        _ = on(DispatchQueue(label: "unused"))
        XCTAssertEqual(events(of: toHandler(NumberHandler()), for: .number(2)), ["number 2", "done"])
        let silent = AnyConnectable<Int, Event> { _ in Connection(acceptClosure: { _ in }, disposeClosure: {}) }
        XCTAssertEqual(events(of: toConnectable(silent), for: .number(3)), [])
        XCTAssertEqual(events(of: toClosure(NumberHandler().handle), for: .number(4)), ["number 4", "done"])
        XCTAssertEqual(events(of: forget { forgotten.append($0) }, for: .number(5)), [])
        XCTAssertEqual(events(of: toEvent { "\($0)" }, for: .number(6)), ["6"])
        XCTAssertEqual(forgotten, [5])
    }
}
