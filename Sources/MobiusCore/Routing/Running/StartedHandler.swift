/// The disposable of a handler that answers through a callback, together with that callback.
///
/// An effect runs until its callback ends or it is disposed of, even if its handler does not keep the callback. So this
/// object keeps it; its owner releases this object at the end of the effect.
final class StartedHandler<Event>: Disposable {
    private let disposable: any Disposable
    /// Kept, unless there is nothing to stop: then the callback ends when the handler releases it.
    private let kept: EffectCallback<Event>?
    private weak let callback: EffectCallback<Event>?
    private let endsWhenDisposed: Bool

    init(_ disposable: any Disposable, _ callback: EffectCallback<Event>, endsWhenDisposed: Bool) {
        self.disposable = disposable
        kept = disposable.isEmpty ? nil : callback
        self.callback = callback
        self.endsWhenDisposed = endsWhenDisposed
    }

    /// Stops the handler.
    func dispose() {
        disposable.dispose()
        if endsWhenDisposed { callback?.end() }
    }
}
