package import MobiusRuntime
package import MobiusWire

/// Runs effect handlers: real ones in production, scripted ones in the simulation.
///
/// A driver calls it on the driver's thread. No call blocks. Each attempt ends exactly once, with an outcome that the
/// driver's owner passes to the driver.
package protocol EffectHandlers: AnyObject {
    /// Whether a tracing span is recorded for each attempt.
    var isTracing: Bool { get }
    /// Starts the handlers, in this order.
    func run(_ orders: consuming [EffectOrder])
    /// The W3C trace context for an attempt's events; empty without one.
    func traceparent(of id: AttemptID) -> String
    /// Events of a running handler were acknowledged: it may send that many events and bytes more.
    func acknowledged(_ id: AttemptID, events: Int, bytes: Int)
    /// Releases the state of a handler that has ended.
    func ended(_ id: AttemptID)
}

extension EffectRunner: LocalHandlers, WorkerHandlers {}
