#if HTTP
    import FleetTestSupport
    import Logging
    import MobiusHTTP
    import MobiusProcess
    import MobiusWire

    /// The HTTP server in this process, at a real port, with limits of a test's choice and one loop that takes all events.
    final class LocalServer: Sendable {
        /// Where it listens.
        let address: String
        /// The events that arrived whole, by size.
        let events: Journey<Int>
        private let serving: Task<Void, any Error>

        /// Starts it; its loop's model has this many bytes.
        ///
        /// Its time limits are an hour, unless a test changes one: on a busy machine other tests may hold all threads for minutes.
        init(
            model: Int = 100, access: LoopAccess = .thisMachine(isUnmasked: false), _ change: (inout HTTPLimits) -> Void
        ) async throws {
            var limits = HTTPLimits()
            (limits.idle, limits.body, limits.write) = (.seconds(3600), .seconds(3600), .seconds(3600))
            change(&limits)
            let (events, ports) = (Journey<Int>(), Journey<String>())
            self.events = events
            let loops = OneLoop(access: access, events: events, model: Self.text(model))
            let address = try HTTPAddress("0") ?? { throw CancellationError() }()
            serving = Task { [limits] in
                let logger = Logger(label: "test") { _ in PortReader(ports: ports) }
                let probes = ServerProbes(unreadiness: { nil }, status: { nil })
                try await HTTPServer(address, loops, probes, limits, logger: logger).serving {
                    // Until it is cancelled.
                    for await _ in AsyncStream<Never>(unfolding: {
                        try? await Task.sleep(for: .seconds(3600)); return nil
                    }) {}
                }
            }
            try await ports.wait(for: "the port") { !$0.isEmpty }
            self.address = "127.0.0.1:\(ports.elements[0])"
        }

        deinit {
            serving.cancel()
        }

        /// JSON text of this many bytes and its quotes.
        private static func text(_ size: Int) -> [UInt8] {
            var text = [UInt8](repeating: UInt8(ascii: "x"), count: size + 2)
            (text[0], text[size + 1]) = (UInt8(ascii: "\""), UInt8(ascii: "\""))
            return text
        }

        // What blocks has a thread of its own, for the server in this process needs those that tests share.

        /// Connects and begins a request.
        ///
        /// - Parameter isWhole: Whether the server can answer it; then this waits until something of the answer has come.
        func begin(
            _ line: String, _ headers: [String] = [], body: String = "", isWhole: Bool = true
        ) async throws -> RawConnection {
            try await onThread { [address] in
                let connection = try RawConnection(address)
                let head = ["\(line) HTTP/1.1", "Host: localhost"] + headers
                connection.write(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
                if isWhole { connection.waitForSomething() }
                return connection
            }
        }

        /// A request's response, whose connection ends then.
        func response(_ line: String, _ headers: [String] = [], body: String = "") async throws -> String {
            let connection = try await begin(line, headers + ["Connection: close"], body: body)
            return try await onThread { connection.readToEnd() }
        }

        /// The status of that response.
        func status(_ line: String, _ headers: [String] = [], body: String = "") async throws -> String {
            // The beginning, because a response may be large.
            let text = String(decoding: try await response(line, headers, body: body).utf8.prefix(20), as: UTF8.self)
            return text.split(separator: " ").dropFirst().first.map { String($0) } ?? ""
        }
    }

    /// A loop that takes all events and has one model.
    private struct OneLoop: LoopService {
        let access: LoopAccess
        let events: Journey<Int>
        let model: [UInt8]

        func ask(
            _ request: ClientRequest, as caller: LoopCaller, traceparent: String
        ) async throws(Problem) -> ClientAnswer {
            switch request {
            case .rights: return .rights(CallerRights(name: nil, rights: ["send", "models"], maximumPayload: 1 << 20))
            case .send(_, _, let event, _):
                events.add(event.bytes.count)
                return .done(EventConfirmation(repeated: false, number: 1))
            case .model, .watch(_, seen: nil):
                let version = ModelVersion(journal: JournalID(high: 1, low: 1), sequence: 1)
                return .model(
                    ModelSummary(loop: .main, version: version, build: "b"),
                    model: Payload(kind: PayloadKind(type: "M"), bytes: model))
            case .watch:
                try? await Task.sleep(for: .seconds(3600))  // until its client is gone
                return .busy(retryAfter: 1000)
            default: return .notFound
            }
        }
    }

    /// Reads the port from the line that tells it.
    private struct PortReader: LogHandler {
        let ports: Journey<String>
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            if let port = event.metadata?["port"] { ports.add("\(port)") }
        }
    }
#endif
