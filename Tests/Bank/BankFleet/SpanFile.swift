import Foundation
import Synchronization
public import Tracing

/// A tracer that writes each span that has ended into a file, a line of JSON each, and speaks W3C trace context.
public final class SpanFile: Tracer {
    /// A line of the file.
    public struct Record: Codable, Sendable, Equatable {
        /// Its name.
        public var name: String
        /// Which trace, which span of it, and below which.
        public var trace, span: String
        /// The span above it; empty for none.
        public var parent: String
        /// Its attributes, as text.
        public var attributes: [String: String]
        /// Why it failed, if it did.
        public var failure: String?
    }

    private let file: FileHandle

    /// Writes into a file that may be there.
    public init(path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        precondition(descriptor >= 0, "The file \(path) for spans cannot be written.")
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Traces this process if the environment says where to.
    public static func traceIfWanted() {
        guard let path = ProcessInfo.processInfo.environment["BANK_SPANS"] else { return }
        InstrumentationSystem.bootstrap(SpanFile(path: path))
    }

    /// The spans of a file.
    public static func spans(in path: String) throws -> [Record] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
            try JSONDecoder().decode(Record.self, from: Data(line.utf8))
        }
    }

    /// Begins a span.
    public func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> FileSpan {
        let above = context()
        let parent = above[Place.self]
        let digits = UUID().uuidString.lowercased().filter { $0 != "-" }
        var context = above
        context[Place.self] = Place(
            trace: parent?.trace ?? digits, span: String(digits.suffix(16)))
        return FileSpan(operationName, context: context, parent: parent?.span ?? "") { [self] record in write(record) }
    }

    private func write(_ record: Record) {
        guard var line = try? JSONEncoder().encode(record) else { return }
        line.append(10)
        file.write(line)  // one system call, so lines of several processes do not mix
    }

    /// Nothing waits.
    public func forceFlush() {}

    /// Reads `traceparent`.
    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        let parts = (extractor.extract(key: "traceparent", from: carrier) ?? "").split(separator: "-").map(String.init)
        if parts.count == 4 { context[Place.self] = Place(trace: parts[1], span: parts[2]) }
    }

    /// Writes `traceparent`.
    public func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let place = context[Place.self] else { return }
        injector.inject("00-\(place.trace)-\(place.span)-01", forKey: "traceparent", into: &carrier)
    }
}

/// Where a context is.
private struct Place: Sendable, ServiceContextKey {
    typealias Value = Place

    let trace: String
    let span: String
}

/// A span of a ``SpanFile``.
public final class FileSpan: Span {
    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var failure: String?
        var hasEnded = false
    }

    /// Its place, and what it is below.
    public let context: ServiceContext
    private let parent: String
    private let state: Mutex<State>
    private let write: @Sendable (SpanFile.Record) -> Void

    init(
        _ name: String, context: ServiceContext, parent: String, write: @escaping @Sendable (SpanFile.Record) -> Void
    ) {
        self.context = context
        self.parent = parent
        self.write = write
        state = Mutex(State(name: name))
    }

    /// Its name.
    public var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    /// Its attributes.
    public var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    /// Whether it has not ended.
    public var isRecording: Bool { state.withLock { !$0.hasEnded } }

    /// Keeps a failure.
    public func setStatus(_ status: SpanStatus) { state.withLock { $0.failure = status.message } }

    /// Keeps none.
    public func addEvent(_ event: SpanEvent) {}

    /// Keeps none.
    public func addLink(_ link: SpanLink) {}

    /// Keeps none.
    public func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {}

    /// Writes it; ending it twice is a mistake of whoever does.
    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let state = state.withLock { state in
            precondition(!state.hasEnded, "The span \(state.name) ended twice.")
            state.hasEnded = true
            return state
        }
        guard let place = context[Place.self] else { return }
        var attributes: [String: String] = [:]
        state.attributes.forEach { attributes[$0] = Self.text($1) }
        write(
            SpanFile.Record(
                name: state.name, trace: place.trace, span: place.span, parent: parent, attributes: attributes,
                failure: state.failure))
    }

    private static func text(_ attribute: SpanAttribute) -> String {
        switch attribute {
        case .string(let text): text
        default: "\(attribute)"
        }
    }
}
