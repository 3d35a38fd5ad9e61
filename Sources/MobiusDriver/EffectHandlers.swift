package import MobiusRuntime
package import MobiusWire

/// Runs the handlers of effects: real ones in the processes, scripted ones in the simulation.
///
/// A driver calls it on its own thread, and it never waits. Each attempt ends once, by an outcome that its owner hands to
/// the driver.
package protocol EffectHandlers: AnyObject {
    /// Whether each attempt has a span.
    var isTracing: Bool { get }
    /// Begins handlers, in this order.
    func run(_ orders: consuming [EffectOrder])
    /// The W3C trace context of an attempt's events, or empty.
    func traceparent(of id: AttemptID) -> String
    /// Events of a handler that goes on are acknowledged: it may send as many more.
    func acknowledged(_ id: AttemptID, events: Int, bytes: Int)
    /// Forgets a handler that has ended.
    func ended(_ id: AttemptID)
}

extension EffectRunner: LocalHandlers, WorkerHandlers {}
