import MobiusProgram
import Tracing

/// Begins a span for each attempt at an effect; where nobody traces there is none of these.
// Objects, this one and the spans: an optional structure that holds an existential is looked up by type wherever it is copied,
// also where it is nil, which is nearly everywhere.
final class AttemptTracer: Sendable {
    private let tracer: any Tracer

    /// The tracer that the program gave to swift-distributed-tracing before; nil without one.
    init?() {
        let tracer = InstrumentationSystem.tracer
        guard !(tracer is NoOpTracer) else { return nil }
        self.tracer = tracer
    }

    /// Begins the span of an attempt, below the context that its order carried.
    func begin(effect: String, type: String, attempt: String, traceparent: String) -> AttemptSpan {
        let span = tracer.startAnySpan(
            type.isEmpty ? "effect" : type, context: TraceParent.context(of: traceparent), ofKind: .consumer)
        span.attributes["mobius.effect"] = effect
        span.attributes["mobius.attempt"] = attempt
        return AttemptSpan(span)
    }
}

/// The span of one attempt, from the arrival of its order to the end of its handler.
final class AttemptSpan: Sendable {
    private let span: any Span
    /// The context in which its handler runs, so that spans of the handler's own are below it.
    let context: ServiceContext
    /// The trace context that the handler's events carry.
    let traceparent: String

    init(_ span: any Span) {
        self.span = span
        context = span.context
        traceparent = TraceParent.text(of: span.context)
    }

    /// Ends it, with the reason when the attempt failed; once.
    func end(failure: String?) {
        if let failure { span.setStatus(SpanStatus(code: .error, message: failure)) }
        span.end()
    }
}
