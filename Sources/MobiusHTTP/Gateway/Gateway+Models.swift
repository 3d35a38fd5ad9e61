#if HTTP
    import HTTPTypes
    import Hummingbird
    import HummingbirdCore
    import MobiusWire
    import NIOCore
    import Synchronization

    extension Gateway {
        /// `GET /loops/{id}/models`: the model and then each later one, as server-sent events.
        ///
        /// The loop is watched by asking again and again, so a slow reader misses models in between, but never the last; streams
        /// that wait for the same share a request.
        func models(
            _ request: Request, of loop: LoopID, _ caller: LoopCaller, on channel: any Channel
        ) async throws(Problem) -> Response {
            _ = try QueryParameters(request.uri.query, known: [])
            guard let lease = streams.lease(1) else {
                throw Problem(.busy, "Too many models are watched; try again.", retryAfter: 1000)
            }
            let answer = try await ask(.watch(loop, seen: nil), caller)
            guard case .model(let summary, let model) = answer else { throw Problem(answer, of: loop) }
            let known = request.headers[.lastEventID]
            if known == "\(ModelTag(summary))", try await hasEnded(loop, caller) {
                // The client has the last model of all: any other status or a stream makes it connect again and again.
                return Response(status: .noContent)
            }
            let stream = ModelStream(gateway: self, loop: loop, caller: caller, channel: channel, known: known)
            let first = FirstModel(summary, model)
            return Response(
                status: .ok,
                headers: [.contentType: "text/event-stream", .accelBuffering: "no"],
                body: ResponseBody { writer in
                    defer { withExtendedLifetime(lease) {} }
                    let writes = UncheckedWriter(writer)
                    // Ends the wait for the next model when the client goes.
                    try? await request.body.consumeWithCancellationOnInboundClose { _ in
                        var writer = writes.writer
                        try await stream.run(from: first, to: &writer)
                    }
                    try await writer.finish(nil)
                })
        }

        private func hasEnded(_ loop: LoopID, _ caller: LoopCaller) async throws(Problem) -> Bool {
            // The first of the names that begin with the loop's is the loop's own.
            let answer = try await ask(.loops(prefix: loop.name, state: .ended, after: nil, limit: 1), caller)
            guard case .loops(let loops, _) = answer else { return false }
            return loops.first?.loop == loop
        }
    }

    /// The writer of one response, which only its stream uses while the stream runs.
    private struct UncheckedWriter: @unchecked Sendable {
        let writer: any ResponseBodyWriter

        init(_ writer: any ResponseBodyWriter) {
            self.writer = writer
        }
    }

    /// The first model of a stream, which is there until it is written.
    final class FirstModel: Sendable {
        private let model: Mutex<(ModelSummary, Payload)?>

        init(_ summary: ModelSummary, _ model: Payload) {
            self.model = Mutex((summary, model))
        }

        func take() -> (ModelSummary, Payload)? {
            model.withLock { model in
                defer { model = nil }
                return model
            }
        }
    }

    /// The models of a loop as server-sent events, for one client.
    struct ModelStream: Sendable {
        let gateway: Gateway
        let loop: LoopID
        let caller: LoopCaller
        let channel: any Channel
        /// The id of the model that the client has.
        let known: String?

        /// The milliseconds after which a client connects again when the stream ends.
        private static let retry = 1000

        /// Writes models until the loop cannot be watched any more, or the client is gone.
        ///
        /// It keeps no model while it waits for the next.
        @concurrent func run(from first: FirstModel, to writer: inout any ResponseBodyWriter) async throws {
            try await write("retry: \(Self.retry)\n: models of \(Percent.encoded(loop.name))\n\n", to: &writer)
            var seen: ModelVersion?
            if let (summary, model) = first.take() {
                if known != "\(ModelTag(summary))", try await !write(model, summary, to: &writer) { return }
                seen = summary.version
            }
            while try await writeNext(after: &seen, to: &writer) { try Task.checkCancellation() }
        }

        /// - Returns: whether the stream goes on.
        @concurrent private func writeNext(
            after seen: inout ModelVersion?, to writer: inout any ResponseBodyWriter
        ) async throws -> Bool {
            let answer: ClientAnswer
            do throws(Problem) {
                answer = try await gateway.watches.next(of: loop, after: seen, for: caller)
            } catch {
                return false  // the client connects again
            }
            switch answer {
            case .model(let summary, let model):
                seen = summary.version
                return try await write(model, summary, to: &writer)
            case .unchanged:
                try await write(": still event \(seen?.sequence ?? 0)\n\n", to: &writer)
                return true
            // The client connects again, to the coordinator's next run if this one stops.
            case .busy: return false
            default:
                try await write("event: problem\ndata: \(Problem(answer, of: loop).json)\n\n", to: &writer)
                return false
            }
        }

        /// - Returns: whether the stream goes on.
        @concurrent private func write(
            _ model: Payload, _ summary: ModelSummary, to writer: inout any ResponseBodyWriter
        ) async throws -> Bool {
            guard let json = model.jsonBytes else {
                try await write("event: problem\ndata: \(Problem.notJSON.json)\n\n", to: &writer)
                return false
            }
            // When other clients leave too much unread, this one connects again later.
            guard let lease = gateway.responses.lease(json.count) else { return false }
            defer { withExtendedLifetime(lease) {} }
            let event = Array("id: \(ModelTag(summary))\ndata: ".utf8) + json + Array("\n\n".utf8)
            try await PacedWriter(channel: channel).write(event, to: &writer)
            return true
        }

        @concurrent private func write(_ text: String, to writer: inout any ResponseBodyWriter) async throws {
            try await PacedWriter(channel: channel).write(Array(text.utf8), to: &writer)
        }
    }
#endif
