#if HTTP
    import HTTPTypes
    import Hummingbird
    import HummingbirdCore
    import MobiusProcess
    import MobiusWire
    import NIOCore

    extension Gateway {
        /// `POST /loops/{id}/events`: applies an event, and answers after its commit.
        ///
        /// - Throws: ``Problem``; then the body was not read to its end.
        func send(
            _ request: Request, to loop: LoopID, _ caller: LoopCaller, on channel: any Channel
        ) async throws(Problem) -> Response {
            let headers = try EventHeaders(request.headers)
            let existing = try QueryParameters(request.uri.query, known: ["existing"]).flag("existing") ?? false
            let key = headers.key ?? Self.newKey()
            // A caller without the right sends nothing that is worth reading.
            let rights = try await self.rights.rights(of: caller, from: service)
            guard rights.rights.contains("send") else {
                throw Problem(
                    .forbidden,
                    service.exported == nil
                        ? "The token '\(rights.name ?? "")' lacks the right 'send'."
                        : "These loops are an export: they take no events.")
            }
            let event = Payload(
                kind: headers.kind,
                bytes: try await bodies.read(request, upTo: Int(rights.maximumPayload), on: channel))
            let answer = try await ask(
                .send(loop: loop, key: key, event: event, begins: !existing), caller, traceparent: headers.traceparent)
            var response = Self.response(answer, of: loop, key: key)
            response.headers[.idempotencyKey] = key
            return response
        }

        private static func response(_ answer: ClientAnswer, of loop: LoopID, key: String) -> Response {
            guard case .done(let confirmation) = answer else { return Problem(answer, of: loop).response }
            // The event is on disk nevertheless, and a repetition gets the same.
            if case .refusal(let reason) = confirmation.reply {
                return Problem(.refused, reason, event: confirmation.number).response
            }
            return .json(JSONLine(SentBody(confirmation, to: loop, key: key)).text)
        }

        private static func newKey() -> String {
            var generator = SystemRandomNumberGenerator()
            return "\(Incarnation.random(using: &generator))"
        }
    }
#endif
