import MobiusJournal
package import MobiusWire

// Trace contexts: an effect belongs to the trace of its event.
extension CoordinatorMachine {
    /// The context of this event's effects: the event's own, or that of the effect that it reports on.
    @inline(__always)
    mutating func traceparent(for application: EventApplication) -> String {
        guard application.traceparent.isEmpty else {
            isTraced = true
            return application.traceparent
        }
        guard isTraced else { return "" }
        switch application.source {
        case .start, .outside: return ""
        case .loop(let effect), .answer(let effect): return traceparent(of: effect)
        case .report(let attempt, number: _): return traceparent(of: attempt.effect)
        case .failure(let effect, round: _), .timer(let effect, due: _): return traceparent(of: effect)
        }
    }

    /// The context of an effect, or empty.
    package func traceparent(of id: EffectID) -> String {
        isTraced ? effects[id]?.extra.traceparent ?? "" : ""
    }
}
