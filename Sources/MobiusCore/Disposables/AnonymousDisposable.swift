import Synchronization

/// A disposable made of a closure, which runs once.
public final class AnonymousDisposable: Disposable {
    private let disposer: Lock<(@Sendable () -> Void)?>

    /// A disposable that runs `disposer` the first time it is disposed of, and then releases it.
    @preconcurrency
    public init(disposer: @escaping @Sendable () -> Void) {
        self.disposer = Lock(disposer)
    }

    /// Wraps `base`, hiding its type.
    public convenience init(_ base: some Disposable) {
        self.init { base.dispose() }
    }

    /// Runs the closure, on the calling thread, the first time.
    public func dispose() {
        let disposer = disposer.withLock { $0.take() }
        disposer?()
    }
}
