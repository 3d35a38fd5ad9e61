import MobiusCore
import Testing

@Suite struct DisposableTests {
    private let told = Recorder<String>()

    private func disposable(_ name: String) -> AnonymousDisposable {
        AnonymousDisposable { [told] in told.record(name) }
    }

    @Test func `a closure runs once`() {
        let disposable = disposable("a")
        disposable.dispose()
        disposable.dispose()
        #expect(told.values == ["a"])
    }

    @Test func `a wrapped disposable is disposed of`() {
        AnonymousDisposable(disposable("a")).dispose()
        EmptyDisposable().dispose()
        #expect(told.values == ["a"])
    }

    @Test func `several end together, in order and once`() {
        let composite = CompositeDisposable(disposables: [disposable("a"), disposable("b"), disposable("c")])
        composite.dispose()
        composite.dispose()
        #expect(told.values == ["a", "b", "c"])
    }

    @Test func `a task is cancelled`() async {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return "cancelled"
        }
        task.asDisposable.dispose()
        #expect(await task.value == "cancelled")
    }

    @Test func `a connection accepts until it is disposed of, and is closed once`() {
        let told = told
        let connection = Connection<Int>(
            acceptClosure: { told.record("\($0)") }, disposeClosure: { told.record("closed") })
        connection.accept(1)
        connection.dispose()
        connection.dispose()
        connection.accept(2)
        #expect(told.values == ["1", "closed"])
    }

    @Test func `connectables and event sources can hide their types`() {
        let told = told
        let doubling = AnyConnectable<Int, Int> { consumer in
            Connection(acceptClosure: { consumer($0 * 2) }, disposeClosure: { told.record("closed") })
        }
        let connection = AnyConnectable(doubling).connect { told.record("\($0)") }
        connection.accept(21)
        connection.dispose()
        #expect(told.values == ["42", "closed"])
    }

    @Test func `event sources are subscribed to together and end together`() {
        let told = told
        func source(_ name: String) -> AnyEventSource<String> {
            AnyEventSource { consumer in
                consumer("from \(name)")
                return AnonymousDisposable { told.record("ended \(name)") }
            }
        }
        let builder = CompositeEventSourceBuilder<String>().addEventSource(source("a"))
        let both = builder.addEventSource(AnyEventSource(source("b"))).build()
        let subscription = both.subscribe { told.record($0) }
        #expect(told.values == ["from a", "from b"])
        subscription.dispose()
        #expect(told.values == ["from a", "from b", "ended a", "ended b"])
        CompositeEventSourceBuilder<String>().build().subscribe { told.record($0) }.dispose()
        #expect(told.values.count == 4)
    }
}
