import Foundation
import MobiusCore
import MobiusExtras
import XCTest

private struct Person: Copyable, Equatable {
    var name = ""
    var friends: [String] = []
}

private class Shouter: ConnectableClass<String, String>, @unchecked Sendable {
    var story: [String] = []

    override init() {
        super.init()
    }

    override func onConnect() {
        story.append("connect")
    }

    override func handle(_ input: String) {
        story.append(input)
        send(input.uppercased())
    }

    override func onDispose() {
        story.append("dispose")
    }
}

class ExtrasSymbolsTests: XCTestCase {
    func testBeginnerLoop() {
        func update(counter: Int, event: Bool) -> Int { event ? counter + 1 : max(0, counter - 1) }
        let make: (@escaping (Int, Bool) -> Int) -> Mobius.Builder<Int, Bool, Never> = Mobius.beginnerLoop(update:)
        var printed: [String] = []
        for loop in [Mobius.beginnerLoop(update: update).start(from: 1), make(update).start(from: 1)] {
            loop.addObserver { counter in printed.append("\(counter)") }
            loop.dispatchEvent(false)
            loop.dispatchEvent(false)
            loop.dispatchEvent(true)
            loop.dispose()
        }
        XCTAssertEqual(printed, ["1", "0", "0", "1", "1", "0", "0", "1"])
    }

    func testConnectableClass() {
        let shouter = Shouter()
        var outputs: [String] = []
        let connect: (@escaping (String) -> Void) -> Connection<String> = shouter.connect
        let send: (String) -> Void = shouter.send
        let connection = connect { outputs.append($0) }
        connection.accept("hello")
        send("direct")
        connection.dispose()
        send("late")
        XCTAssertEqual(outputs, ["HELLO", "direct"])
        XCTAssertEqual(shouter.story, ["connect", "hello", "dispose"])
        let base: () -> ConnectableClass<Int, Int> = ConnectableClass<Int, Int>.init
        base().onConnect()
    }

    func testMaps() {
        let shouter = Shouter()
        let map: (@escaping (String) -> Int) -> AnyConnectable<String, Int> = shouter.map
        let contramap: (@escaping (Int) -> String) -> AnyConnectable<Int, String> = shouter.contramap
        var outputs: [String] = []
        var factor = 10
        let lengths = map { $0.count * factor }.connect { outputs.append("\($0)") }
        factor = 100
        lengths.accept("four")
        lengths.dispose()
        contramap { "number \($0)" }.connect { outputs.append($0) }.accept(5)
        XCTAssertEqual(outputs, ["400", "NUMBER 5"])
    }

    func testEventSourceMap() {
        let source = AnyEventSource<Int> { consumer in
            consumer(1)
            return EmptyDisposable()
        }
        let map: (@escaping (Int) -> String) -> AnyEventSource<String> = source.map(transform:)
        var events: [String] = []
        map { "<\($0)>" }.subscribe { events.append($0) }.dispose()
        source.map { $0 + 1 }.subscribe { events.append("\($0)") }.dispose()
        XCTAssertEqual(events, ["<1>", "2"])
    }

    func testCopyable() {
        let person = Person(name: "Alice")
        let copy: ((inout Person) -> Void) -> Person = person.copy(with:)
        XCTAssertEqual(copy { $0.friends.append("Bob") }, Person(name: "Alice", friends: ["Bob"]))
        XCTAssertEqual(person.copy { $0.name = "Carol" }.name, "Carol")
        XCTAssertEqual(person.name, "Alice")
    }

    func testSimpleLogger() {
        var lines: [String] = []
        let make: (String, @escaping (String) -> Void) -> SimpleLogger<Int, String, String> =
            SimpleLogger<Int, String, String>.init(tag:consumer:)
        let logger = make("tag") { lines.append($0) }
        let willInitiate: (Int) -> Void = logger.willInitiate(model:)
        let didInitiate: (Int, First<Int, String>) -> Void = logger.didInitiate(model:first:)
        let willUpdate: (Int, String) -> Void = logger.willUpdate(model:event:)
        let didUpdate: (Int, String, Next<Int, String>) -> Void = logger.didUpdate(model:event:next:)
        willInitiate(1)
        didInitiate(1, First(model: 1, effects: ["a"]))
        willUpdate(1, "up")
        didUpdate(1, "up", .next(2, effects: ["b"]))
        XCTAssertEqual(
            lines,
            [
                "tag: Initializing loop", "tag: Loop initialized, starting from model: 1",
                "tag: Effect dispatched: a", "tag: Event received: up", "tag: Model updated: 2",
                "tag: Effect dispatched: b",
            ])
        _ = SimpleLogger<Int, String, String>()
        _ = SimpleLogger<Int, String, String>(tag: "tag")
    }
}
