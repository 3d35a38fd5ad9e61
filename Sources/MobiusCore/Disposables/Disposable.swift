/// Something that can be ended: a connection, a subscription, a running effect.
///
/// It may be disposed of from any thread, and more than once; only the first time counts.
@preconcurrency
public protocol Disposable: AnyObject, Sendable {
    /// Ends it and releases what it holds.
    func dispose()
}
