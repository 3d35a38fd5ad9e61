#if HTTP
    import HTTPTypes
    import Hummingbird
    import HummingbirdCore
    import MobiusProcess
    import MobiusWire
    import NIOCore

    // What operators ask: the state of the fleet, and what waits or has failed.
    extension Gateway {
        /// `GET /loops/{id}/waits`: what a loop waits for, in sentences.
        func waits(
            _ request: Request, of loop: LoopID, _ caller: LoopCaller, on channel: any Channel
        ) async throws(Problem) -> Response {
            _ = try QueryParameters(request.uri.query, known: [])
            let answer = try await ask(.why(loop), caller)
            guard case .waits(let waits) = answer else { throw Problem(answer, of: loop) }
            return try json(Array(JSONLine(waits).text.utf8), on: channel)
        }

        /// `GET /status`: the state of the coordinator, its loops, pools and workers.
        func status(
            _ request: Request, _ caller: LoopCaller, on channel: any Channel
        ) async throws(Problem) -> Response {
            _ = try QueryParameters(request.uri.query, known: [])
            let answer = try await ask(.status, caller)
            guard case .status(let status) = answer else { throw Problem(answer) }
            return try json(Array(JSONLine(status).text.utf8), on: channel)
        }

        /// `GET /effects`: a page of pending effects.
        func effects(
            _ request: Request, _ caller: LoopCaller, on channel: any Channel
        ) async throws(Problem) -> Response {
            let query = try QueryParameters(request.uri.query, known: ["loop", "pool", "limit", "after"])
            let loop = try query.text("loop").map { (name) throws(Problem) in try Self.loop(name, "loop") }
            let (limit, after) = (try Self.limit(of: query), try Self.effect(in: query))
            let pool = query.text("pool")
            let answer = try await ask(.effects(loop: loop, pool: pool, after: after, limit: limit), caller)
            guard case .effects(let effects, let more) = answer else { throw Problem(answer, of: loop) }
            let next = more ? effects.last?.id : nil
            return Self.page(
                EffectList(effects: effects, next: next), of: "/effects", next: next.map { "\($0)" },
                Self.parameters([("loop", loop?.name), ("pool", pool), ("limit", "\(limit)")]))
        }

        /// `GET /letters`: a page of dead letters.
        func letters(
            _ request: Request, _ caller: LoopCaller, on channel: any Channel
        ) async throws(Problem) -> Response {
            let query = try QueryParameters(request.uri.query, known: ["loop", "prefix", "limit", "after"])
            let loop = try query.text("loop").map { (name) throws(Problem) in try Self.loop(name, "loop") }
            let (limit, after) = (try Self.limit(of: query), try Self.effect(in: query))
            let prefix = query.text("prefix") ?? ""
            guard prefix.utf8.count <= LoopID.maximumLength, loop == nil || prefix.isEmpty else {
                throw Problem(
                    .invalidRequest,
                    "Name a loop, or a prefix of names of at most \(LoopID.maximumLength) bytes.")
            }
            let answer = try await ask(.letters(loop: loop, prefix: prefix, after: after, limit: limit), caller)
            guard case .letters(let letters, let more) = answer else { throw Problem(answer, of: loop) }
            let next = more ? letters.last?.id : nil
            return Self.page(
                LetterList(letters: letters, next: next), of: "/letters", next: next.map { "\($0)" },
                Self.parameters([("loop", loop?.name), ("prefix", prefix), ("limit", "\(limit)")]))
        }

        private static func limit(of query: QueryParameters) throws(Problem) -> UInt32 {
            UInt32(try query.number("limit", in: 1...UInt64(ClientRequest.maximumPage)) ?? 100)
        }

        private static func effect(in query: QueryParameters) throws(Problem) -> EffectID? {
            guard let text = query.text("after") else { return nil }
            guard let effect = EffectID(text) else {
                throw Problem(.invalidRequest, "'after' is the next of the page before.")
            }
            return effect
        }

        private static func parameters(_ values: [(name: String, value: String?)]) -> [String] {
            values.compactMap { name, value in
                guard let value, !value.isEmpty else { return nil }
                return "\(name)=\(Percent.encoded(value))"
            }
        }
    }
#endif
