#if HTTP
    import HTTPTypes
    import Hummingbird
    import HummingbirdCore
    import MobiusTelemetry
    import MobiusWire
    import NIOCore

    extension Gateway {
        /// `GET /loops/{id}/models`: the model and then each later one, as server-sent events.
        ///
        /// The loop is watched by asking again and again, so a slow reader misses models in between, but never the last.
        func models(
            _ request: Request, of loop: LoopID, _ caller: LoopCaller, on channel: any Channel
        ) async throws(Problem) -> Response {
            _ = try QueryParameters(request.uri.query, known: [])
            guard let lease = streams.lease(1) else {
                throw Problem(.busy, "Too many models are watched; try again.", retryAfter: 1000)
            }
            let answer = await ask(.watch(loop, seen: nil), caller)
            guard case .model(let summary, _) = answer else { throw Problem(answer, of: loop) }
            let known = request.headers[.lastEventID]
            if known == "\(ModelTag(summary.version))", await hasEnded(loop, caller) {
                // The client has the last model of all: any other status or a stream makes it connect again and again.
                return Response(status: .noContent)
            }
            let stream = ModelStream(
                gateway: self, loop: loop, caller: caller, channel: channel, known: known)
            return Response(
                status: .ok,
                headers: [.contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no"],
                body: ResponseBody { writer in
                    defer { withExtendedLifetime(lease) {} }
                    let writes = UncheckedWriter(writer)
                    // Ends the wait for the next model when the client goes.
                    try? await request.body.consumeWithCancellationOnInboundClose { _ in
                        var writer = writes.writer
                        try await stream.run(from: answer, to: &writer)
                    }
                    try await writer.finish(nil)
                })
        }

        private func hasEnded(_ loop: LoopID, _ caller: LoopCaller) async -> Bool {
            // The first of the names that begin with the loop's is the loop's own.
            let answer = await ask(.loops(prefix: loop.name, state: .ended, after: nil, limit: 1), caller)
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

    /// The models of a loop as server-sent events, for one client.
    struct ModelStream: Sendable {
        let gateway: Gateway
        let loop: LoopID
        let caller: LoopCaller
        let channel: any Channel
        /// The id of the model that the client has.
        let known: String?

        /// After how many milliseconds a client connects again when the stream ends.
        private static let retry = 1000

        /// Writes models until the loop cannot be watched any more, or the client is gone.
        @concurrent func run(from first: ClientAnswer, to writer: inout any ResponseBodyWriter) async throws {
            var (answer, seen): (ClientAnswer, ModelVersion?) = (first, nil)
            try await write("retry: \(Self.retry)\n: models of \(Percent.encoded(loop.name))\n\n", to: &writer)
            while true {
                switch answer {
                case .model(let summary, let model):
                    let isKnown = seen == nil && known == "\(ModelTag(summary.version))"
                    if !isKnown, try await !write(model, summary, to: &writer) { return }
                    seen = summary.version
                case .unchanged: try await write(": still event \(seen?.sequence ?? 0)\n\n", to: &writer)
                // The client connects again, to the coordinator's next run if this one stops.
                case .busy: return
                default:
                    try await write("event: problem\ndata: \(Problem(answer, of: loop).json)\n\n", to: &writer)
                    return
                }
                try Task.checkCancellation()
                answer = await gateway.ask(.watch(loop, seen: seen), caller)
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
            let lease = json.count > HTTPLimits.small ? gateway.responses.lease(json.count) : Lease {}
            guard let lease else { return false }
            defer { withExtendedLifetime(lease) {} }
            let event = Array("id: \(ModelTag(summary.version))\ndata: ".utf8) + json + Array("\n\n".utf8)
            try await PacedWriter(channel: channel, limit: gateway.limits.write).write(event, to: &writer)
            return true
        }

        @concurrent private func write(_ text: String, to writer: inout any ResponseBodyWriter) async throws {
            try await PacedWriter(channel: channel, limit: gateway.limits.write).write(Array(text.utf8), to: &writer)
        }
    }
#endif
