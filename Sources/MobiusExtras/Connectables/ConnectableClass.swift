public import MobiusCore
import Synchronization

// Unchecked, because subclasses may add state, which they guard themselves; the one property here is a lock.
/// A base class of connectables: override ``handle(_:)`` and ``onDispose()``, and answer with ``send(_:)``.
///
/// One connection is open at a time; after it was disposed of, the object may be connected again. Two at a time are a
/// programmer error, reported through `MobiusHooks`. The methods of this class may be called from any thread, and it
/// holds no lock during calls. A subclass must guard its own state, and the compiler warns until it declares that:
/// `class Player: ConnectableClass<Effect, Event>, @unchecked Sendable`. For new code an `EffectHandler` in an `EffectRouter` is as good.
open class ConnectableClass<Input, Output>: Connectable, @unchecked Sendable {
    /// The consumer's outlet while connected.
    private let outlet = Lock<EventOutlet<Output>?>(nil)

    /// A connectable that is not connected.
    public init() {}

    /// Sends `output` to the consumer, on the calling thread; ignored while not connected.
    @Sendable
    public final func send(_ output: Output) {
        let outlet = outlet.withLock { $0 }
        outlet?.deliver(output)
    }

    /// Handles an input, on the thread that passes it; does nothing unless overridden.
    open func handle(_ input: Input) {}

    /// Called when a connection opens, on the thread that connects; ``send(_:)`` already works.
    open func onConnect() {}

    /// Called when the connection was closed, on the thread that closed it; does nothing unless overridden.
    ///
    /// ``send(_:)`` no longer has a consumer.
    open func onDispose() {}

    /// Opens the connection; while one is open, that is a programmer error.
    ///
    /// When the connection's `dispose()` returns, nothing more is sent to `consumer`.
    @preconcurrency
    public final func connect(_ consumer: @escaping Consumer<Output>) -> Connection<Input> {
        let new = EventOutlet(consumer)
        let isFree = outlet.withLock { outlet in
            if outlet == nil { outlet = new }
            return outlet === new
        }
        if !isFree {
            MobiusHooks.errorHandler(
                "\(type(of: self)) is connected already: it takes one connection at a time.", #file, #line)
        }
        onConnect()
        return Connection(acceptClosure: { self.handle($0) }, disposeClosure: { self.disconnect(new) })
    }

    private func disconnect(_ outlet: EventOutlet<Output>) {
        outlet.close()
        self.outlet.withLock { $0 = nil }
        onDispose()
    }
}
