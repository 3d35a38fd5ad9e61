/// What stops a handler that answers through a callback, together with that callback.
///
/// An effect is under way until its callback ends or it is disposed of, also where its handler does not keep the
/// callback. So this keeps it; its owner releases this at the end of the effect.
final class StartedHandler<Event>: Disposable {
    private let disposable: any Disposable
    /// Kept, unless there is nothing to stop: then it may end when the handler releases it.
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
