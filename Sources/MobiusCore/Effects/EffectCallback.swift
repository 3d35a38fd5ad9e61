public import Synchronization

/// The answer of an effect handler: any number of outputs, then an end.
///
/// It may be used from any thread. It ends once, and later outputs are ignored. A router holds it, together with the
/// disposable that its handler returned, until the effect ends, is cancelled or disposed of. If that disposable is an
/// ``EmptyDisposable``, the callback also ends when the last reference to it is released. No lock is held while its
/// owner is called. The end is delivered after every output sent before, so it may be ended while ``send(_:)`` is on
/// the stack.
public final class EffectCallback<Output>: Sendable {
    /// The connection that receives outputs and the end; it makes a callback for each effect, and no closures.
    @usableFromInline let effects: ConnectionEffects<Output>?
    /// Receives outputs if there is no connection.
    @usableFromInline let onSend: (@Sendable (Output) -> Void)?
    @usableFromInline let onFinish: (@Sendable ([Output]) -> Void)?
    /// Waits until its owner accepts another output; `nil` if it always does.
    let pace: (@Sendable () async -> Void)?
    /// The ID under which the connection keeps the effect's disposable; `noID` until it does.
    @usableFromInline let place = Atomic<EffectsUnderWay.ID>(EffectsUnderWay.noID)

    /// One bit for "ended"; above it the number of threads that send, or that bring the last outputs.
    @usableFromInline let state = Atomic<UInt>(0)
    /// Written once, by the thread that set the bit while others were sending; read once, by the last of these threads.
    @usableFromInline nonisolated(unsafe) var lastOutputs: [Output] = []

    @inlinable static var endedBit: UInt { 1 }
    @inlinable static var oneThread: UInt { 2 }

    /// A callback that passes each output to `onSend`, and calls `onEnd` once after the last one.
    @preconcurrency
    public convenience init(
        onSend: @escaping @Sendable (Output) -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) {
        self.init(
            onFinish: { outputs in
                for output in outputs { onSend(output) }
                onEnd()
            },
            onSend: onSend)
    }

    /// A callback whose end is delivered in one call together with the last outputs.
    ///
    /// ``send(_:)`` calls `onSend`; ``end()`` calls `onFinish([])`; `end(with: outputs)` calls `onFinish(outputs)`, so
    /// that a last event and the end can be one record. Sending from a sequence waits for `pace` first.
    package init(
        onFinish: @escaping @Sendable ([Output]) -> Void,
        onSend: @escaping @Sendable (Output) -> Void,
        pace: (@Sendable () async -> Void)? = nil
    ) {
        self.pace = pace
        self.onSend = onSend
        self.onFinish = onFinish
        effects = nil
    }

    /// A callback for an effect of a connection.
    @usableFromInline
    init(_ effects: ConnectionEffects<Output>) {
        self.effects = effects
        onSend = nil
        onFinish = nil
        pace = nil
    }

    deinit {
        // There is no other reference now, so no send is in progress.
        if !hasEnded { finish([]) }
    }

    /// Lets its connection keep the effect's disposable until the end, and the callback too if `keepsCallback` is set.
    @usableFromInline
    func keep(_ disposable: any Disposable, keepsCallback: Bool) {
        // An effect with nothing to stop needs no place, and its callback may end when the handler releases it.
        guard !disposable.isEmpty, !hasEnded, let effects else { return }
        guard let id = effects.underWay.keep(disposable, keepsCallback ? self : nil) else { return }
        // Sequentially consistent: the end sets its bit and then reads the place, so one of the two threads sees the
        // other's write.
        _ = place.exchange(id, ordering: .sequentiallyConsistent)
        if state.load(ordering: .sequentiallyConsistent) & Self.endedBit != 0 { effects.underWay.end(id) }
    }

    @inlinable
    func tell(_ output: Output) {
        if let effects { return effects.outlet.deliver(output) }
        onSend?(output)
    }

    @inlinable
    func finish(_ outputs: [Output]) {
        guard let effects else {
            onFinish?(outputs)
            return
        }
        let id = place.load(ordering: .sequentiallyConsistent)
        if id != EffectsUnderWay.noID { effects.underWay.end(id) }
        for output in outputs { effects.outlet.deliver(output) }
    }

    /// Whether it has ended, or its loop has; later outputs are ignored.
    @inlinable public var ended: Bool { hasEnded || effects?.underWay.isClosed == true }

    @inlinable var hasEnded: Bool { state.load(ordering: .acquiring) & Self.endedBit != 0 }

    /// Sends `output`, on the calling thread, unless it has ended.
    @inlinable
    @Sendable
    public func send(_ output: Output) {
        var seen = state.load(ordering: .relaxed)
        repeat {
            if seen & Self.endedBit != 0 { return }
        } while !exchange(&seen, seen + Self.oneThread)
        tell(output)
        leave()
    }

    /// Ends it.
    @inlinable
    @Sendable
    public func end() {
        end(with: [])
    }

    /// Sends `outputs` and ends it, in one step: no output of another thread comes between or after.
    @inlinable
    public func end(with outputs: Output...) {
        end(with: outputs)
    }

    /// Sends `outputs` and ends it, in one step: no output of another thread comes between or after.
    @inlinable
    @Sendable
    public func end(with outputs: [Output]) {
        var seen = state.load(ordering: .relaxed)
        repeat {
            if seen & Self.endedBit != 0 { return }
            // While others are still sending, this thread counts as one of them until its outputs are stored.
        } while !exchange(&seen, seen == 0 ? Self.endedBit : (seen | Self.endedBit) + Self.oneThread)
        if seen == 0 { return finish(outputs) }
        lastOutputs = outputs
        leave()
    }

    /// Replaces the state if it is still `seen`; otherwise `seen` becomes what it is.
    @inlinable
    func exchange(_ seen: inout UInt, _ desired: UInt) -> Bool {
        let (exchanged, original) = state.weakCompareExchange(
            expected: seen, desired: desired, ordering: .sequentiallyConsistent)
        if !exchanged { seen = original }
        return exchanged
    }

    /// The last thread to leave after the end finishes.
    @inlinable
    func leave() {
        let before = state.subtract(Self.oneThread, ordering: .acquiringAndReleasing).oldValue
        guard before == Self.oneThread | Self.endedBit else { return }
        let outputs = lastOutputs
        lastOutputs = []
        finish(outputs)
    }
}
