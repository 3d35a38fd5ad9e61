/// A disposable with nothing to end.
public final class EmptyDisposable: Disposable {
    /// Saves an allocation per effect; it has no state to share.
    static let shared = EmptyDisposable()

    /// A disposable that does nothing.
    public init() {}

    /// Does nothing.
    public func dispose() {}
}

extension Disposable {
    /// Whether it is an ``EmptyDisposable``.
    // Compares the type's identity: a cast would look conformances up.
    @usableFromInline
    var isEmpty: Bool {
        ObjectIdentifier(type(of: self)) == ObjectIdentifier(EmptyDisposable.self)
    }
}
