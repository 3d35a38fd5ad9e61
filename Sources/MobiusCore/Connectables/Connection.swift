public import Synchronization

/// An open connection: it accepts values until it is disposed of.
///
/// It may be used from any thread. Values accepted after ``dispose()`` has begun are ignored, and the dispose closure
/// runs once, however often ``dispose()`` is called.
public final class Connection<Value>: Disposable {
    @usableFromInline let acceptClosure: @Sendable (Value) -> Void
    @usableFromInline let disposeClosure: @Sendable () -> Void
    @usableFromInline let disposed = Atomic(false)

    /// A connection that passes values to `acceptClosure`; `dispose()` calls `disposeClosure`.
    @preconcurrency
    @inlinable
    public init(
        acceptClosure: @escaping @Sendable (Value) -> Void,
        disposeClosure: @escaping @Sendable () -> Void
    ) {
        self.acceptClosure = acceptClosure
        self.disposeClosure = disposeClosure
    }

    /// Passes `value` to the accept closure, on the calling thread.
    @inlinable
    @Sendable
    public func accept(_ value: Value) {
        guard !disposed.load(ordering: .acquiring) else { return }
        acceptClosure(value)
    }

    /// Closes the connection, on the calling thread.
    @Sendable
    public func dispose() {
        guard !disposed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        disposeClosure()
    }
}
