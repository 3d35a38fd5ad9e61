import Synchronization

/// Several disposables that end together.
public final class CompositeDisposable: Disposable {
    private let disposables: Lock<[any Disposable]>

    /// Combines `disposables`, which are disposed of in this order.
    package init(disposables: [any Disposable]) {
        self.disposables = Lock(disposables)
    }

    /// Disposes of all of them, on the calling thread, in the order they were given, and releases them.
    public func dispose() {
        let disposables = disposables.withLock { all in
            defer { all = [] }
            return all
        }
        for disposable in disposables { disposable.dispose() }
    }
}
