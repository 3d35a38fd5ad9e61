import Foundation
import MobiusCore
import XCTest

// Each symbol of the listing, as it is declared there: a function is taken as a value of exactly that type.

/// A connectable that is a struct and spells the consumer's type out.
private struct Doubler: Connectable {
    typealias Input = Int
    typealias Output = String

    func connect(_ consumer: @escaping (String) -> Void) -> Connection<Int> {
        var count = 0
        return Connection(
            acceptClosure: { number in
                count += 1
                consumer("\(count): \(number * 2)")
            }, disposeClosure: { consumer("disposed") })
    }
}

private class Bin: Disposable {
    var count = 0

    func dispose() {
        count += 1
    }
}

class ConnectingSymbolsTests: XCTestCase {
    func testConnectable() {
        func connect<C: Connectable>(
            _ connectable: C, _ consumer: @escaping Consumer<C.Output>
        ) -> Connection<C.Input> {
            connectable.connect(consumer)
        }
        let outputs = Notes<String>()
        connect(Doubler()) { outputs.add($0) }.accept(1)
        XCTAssertEqual(outputs.values, ["1: 2"])
    }

    func testAnyConnectable() {
        let wrap: (Doubler) -> AnyConnectable<Int, String> = AnyConnectable<Int, String>.init
        let make: (@escaping (@escaping Consumer<String>) -> Connection<Int>) -> AnyConnectable<Int, String> =
            AnyConnectable<Int, String>.init
        let outputs = Notes<String>()
        let connect: (@escaping Consumer<String>) -> Connection<Int> = wrap(Doubler()).connect
        let connection = connect { outputs.add($0) }
        connection.accept(3)
        connection.dispose()
        make(Doubler().connect).connect { outputs.add($0) }.accept(4)
        XCTAssertEqual(outputs.values, ["1: 6", "disposed", "1: 8"])
    }

    func testConnection() {
        var story: [String] = []
        let make: (@escaping (Int) -> Void, @escaping () -> Void) -> Connection<Int> =
            Connection<Int>.init(acceptClosure:disposeClosure:)
        let connection = make({ story.append("\($0)") }, { story.append("disposed") })
        let accept: (Int) -> Void = connection.accept
        let dispose: () -> Void = connection.dispose
        accept(1)
        dispose()
        dispose()
        let disposable: Disposable = connection
        disposable.dispose()
        XCTAssertEqual(story, ["1", "disposed"])
    }

    func testConsumers() {
        let numbers = Notes<Int>()
        let consumer: Consumer<Int> = { numbers.add($0) }
        let doubling: ConsumerTransformer<Int> = { consumer in { consumer($0 * 2) } }
        doubling(consumer)(4)
        XCTAssertEqual(numbers.values, [8])
    }

    func testDisposables() {
        let bin = Bin()
        let wrap: (Bin) -> AnonymousDisposable = AnonymousDisposable.init
        let make: (@escaping () -> Void) -> AnonymousDisposable = AnonymousDisposable.init(disposer:)
        let one = wrap(bin)
        let two = make { bin.count += 10 }
        for disposable in [one, two, one] as [Disposable] { disposable.dispose() }
        XCTAssertEqual(bin.count, 11)

        let none: () -> EmptyDisposable = EmptyDisposable.init
        let dispose: () -> Void = none().dispose
        dispose()
    }

    func testCompositeDisposable() {
        let source = CompositeEventSourceBuilder<Int>().addEventSource(AnyEventSource<Int> { _ in Bin() }).build()
        let disposable: CompositeDisposable? = source.subscribe { _ in } as? CompositeDisposable
        disposable?.dispose()
    }

    func testTaskIsDisposable() async {
        let task = Task<Bool, Never> {
            while !Task.isCancelled { await Task.yield() }
            return true
        }
        let disposable = task.asDisposable
        disposable.dispose()
        let wasCancelled = await task.value
        XCTAssertTrue(wasCancelled)
    }
}
