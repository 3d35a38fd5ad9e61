package import Instrumentation

/// A W3C trace context as one line of text, as messages carry it: which trace, and which span of it is the parent.
///
/// The tracer that the program gave to swift-distributed-tracing writes and reads it; without one nothing is ever carried.
package enum TraceParent {
    private static let header = "traceparent"

    /// The current task's context; empty when nobody traces.
    package static var current: String {
        guard let context = ServiceContext.current else { return "" }
        return text(of: context)
    }

    /// The context as text; empty when nobody traces.
    package static func text(of context: ServiceContext) -> String {
        var carrier: [String: String] = [:]
        InstrumentationSystem.instrument.inject(context, into: &carrier, using: Header())
        guard let text = carrier[header], isTraceParent(text) else { return "" }
        return text
    }

    /// The context that the text names; the top level when it names none.
    package static func context(of text: String) -> ServiceContext {
        var context = ServiceContext.topLevel
        if !text.isEmpty {
            InstrumentationSystem.instrument.extract([header: text], into: &context, using: Header())
        }
        return context
    }

    /// Whether others may be handed it: `00-` and 32, 16 and 2 digits, or what a later version adds to that.
    package static func isTraceParent(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return (55...255).contains(text.utf8.count) && parts.count >= 4
            && zip(parts, [2, 32, 16, 2]).allSatisfy { part, length in
                part.utf8.count == length && part.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
            }
    }

    private struct Header: Extractor, Injector {
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }

        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
    }
}
