#if HTTP
    import HTTPTypes
    import Hummingbird
    import HummingbirdCore
    import MobiusCodec
    import MobiusProcess
    import MobiusWire
    import NIOCore

    extension Gateway {
        /// `GET /loops`: a page of loops, by name, or by the facts that programs declare.
        func loops(_ request: Request, _ caller: LoopCaller) async throws(Problem) -> Response {
            let query = try QueryParameters(
                request.uri.query, known: ["prefix", "state", "limit", "after", "where", "sort", "facts"])
            let limit = try query.number("limit", in: 1...UInt64(ClientRequest.maximumPage)) ?? 100
            let prefix = query.text("prefix") ?? ""
            guard prefix.utf8.count <= LoopID.maximumLength else {
                throw Problem(.invalidRequest, "'prefix' has at most \(LoopID.maximumLength) bytes.")
            }
            let state = query.text("state").map { LoopSummary.State(rawValue: $0) }
            if let state, !LoopSummary.State.known.contains(state) {
                let names = LoopSummary.State.known.map(\.rawValue).joined(separator: ", ")
                throw Problem(.invalidRequest, "'state' is one of: \(names).")
            }
            var parameters = ["limit=\(limit)"]
            if !prefix.isEmpty { parameters.append("prefix=\(Percent.encoded(prefix))") }
            if let state { parameters.append("state=\(state.rawValue)") }
            let (condition, sort) = (query.text("where"), query.text("sort"))
            let facts = query.text("facts") ?? "false"
            guard ["true", "false"].contains(facts) else {
                throw Problem(.invalidRequest, "'facts' is true or false.")
            }
            guard condition != nil || sort != nil || facts == "true" else {
                let after = try query.text("after").map { (name) throws(Problem) in try Self.loop(name, "after") }
                let answer = try await ask(
                    .loops(prefix: prefix, state: state, after: after, limit: UInt32(limit)), caller)
                guard case .loops(let loops, let next) = answer else { throw Problem(answer) }
                return Self.page(LoopList(loops: loops, next: next), of: "/loops", next: next?.name, parameters)
            }
            let after = try query.text("after").map { (text) throws(Problem) in
                guard let place = FactPlace(text: text) else {
                    throw Problem(.invalidRequest, "'after' is the next of the page before.")
                }
                return place
            }
            let listing = FactListing(
                prefix: prefix, condition: condition, sort: sort, state: state, after: after, limit: UInt32(limit))
            let answer = try await ask(.find(listing), caller)
            guard case .found(let page) = answer else { throw Problem(answer) }
            parameters.append("facts=true")
            if let condition { parameters.append("where=\(Percent.encoded(condition))") }
            if let sort { parameters.append("sort=\(Percent.encoded(sort))") }
            return Self.page(page, of: "/loops", next: page.next?.text, parameters)
        }

        /// A page with a link to the next one, which has the same parameters.
        static func page(_ body: some Codable, of path: String, next: String?, _ parameters: [String]) -> Response {
            var headers = HTTPFields()
            if let next {
                let link = (["after=\(Percent.encoded(next))"] + parameters).joined(separator: "&")
                headers[.link] = "<\(path)?\(link)>; rel=\"next\""
            }
            return .json(JSONLine(body).text, headers: headers)
        }

        static func loop(_ name: String, _ parameter: String) throws(Problem) -> LoopID {
            guard let loop = LoopID(name) else {
                throw Problem(
                    .invalidRequest, "'\(parameter)' is the name of a loop: 1 to \(LoopID.maximumLength) bytes.")
            }
            return loop
        }

        /// `GET /loops/{id}`: the model now or after an event, unless the caller has it.
        func model(
            _ request: Request, of loop: LoopID, _ caller: LoopCaller, on channel: any Channel
        ) async throws(Problem) -> Response {
            let at = try QueryParameters(request.uri.query, known: ["at"]).number("at")
            let answer = try await ask(.model(loop, at: at), caller)
            guard case .model(let summary, let model) = answer else { throw Problem(answer, of: loop) }
            let tag = ModelTag(summary)
            var headers: HTTPFields = [
                .eTag: "\"\(tag)\"", .eventNumber: "\(summary.version.sequence)",
            ]
            if summary.isHeld { headers[.loopState] = LoopSummary.State.held.rawValue }
            if let known = request.headers[.ifNoneMatch], tag.isNamed(in: known) {
                return Response(status: .notModified, headers: headers)
            }
            return try json(model.jsonBytes, headers: headers, on: channel)
        }

        /// `GET /loops/{id}/history`: a page of what happened in a loop.
        func history(
            _ request: Request, of loop: LoopID, _ caller: LoopCaller, on channel: any Channel
        ) async throws(Problem) -> Response {
            let query = try QueryParameters(request.uri.query, known: ["from", "to", "after", "limit"])
            let wanted = HistoryRequest(
                loop, first: try query.number("from"), last: try query.number("to"),
                after: try query.text("after").map { (text) throws(Problem) in try Self.place(text) },
                limit: UInt32(try query.number("limit", in: 1...256) ?? 100))
            let answer = try await ask(.history(wanted), caller)
            guard case .history(let page) = answer else { throw Problem(answer, of: loop) }
            let next = page.more ? page.entries.last?.place.text : nil
            var headers = HTTPFields()
            if let next {
                var parameters = ["after=\(next)", "limit=\(wanted.limit)"]
                if let to = wanted.last { parameters.append("to=\(to)") }
                headers[.link] =
                    "</loops/\(Percent.encoded(loop.name))/history?\(parameters.joined(separator: "&"))>; rel=\"next\""
            }
            let body = HistoryBody(
                entries: page.entries.map { $0.shown(as: \.shown) }, first: page.first, next: next)
            return try json(Array(JSONLine(body).text.utf8), headers: headers, on: channel)
        }

        /// A place in a history as `EVENT` or `EVENT.PART`.
        private static func place(_ text: String) throws(Problem) -> HistoryPlace {
            guard let place = HistoryPlace(text: text) else {
                throw Problem(.invalidRequest, "'after' is the `next` of an earlier page, such as 17.2.")
            }
            return place
        }

        /// A JSON response of any size; `nil` bytes have no JSON form.
        func json(
            _ bytes: [UInt8]?, headers: HTTPFields = [:], on channel: any Channel
        ) throws(Problem) -> Response {
            guard var bytes else { throw .notJSON }
            bytes.append(UInt8(ascii: "\n"))
            guard let body = ResponseBody.paced(bytes, on: channel, responses) else {
                throw .unreadResponses
            }
            var headers = headers
            headers[.contentType] = "application/json"
            return Response(status: .ok, headers: headers, body: body)
        }
    }

    extension Problem {
        static let notJSON = Problem(.notJSON, "The program writes its models in a coding that has no JSON form.")
        static let unreadResponses = Problem(
            .busy, "Too many bytes of other responses are unread by their clients; try again.", retryAfter: 1000)
    }

    extension Payload {
        /// The payload as JSON in one line, exactly; `nil` for a coding that has no JSON form.
        var jsonBytes: [UInt8]? {
            guard kind.contentType == PayloadKind.jsonContentType else {
                return PayloadText.json(of: bytes, contentType: kind.contentType).map { Array($0.utf8) }
            }
            // Strings in JSON contain no line breaks, so all are between values.
            // Compared, not looked up in a set, which would hash each byte of a large model.
            func isBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
            return bytes.contains(where: isBreak) ? bytes.map { isBreak($0) ? 0x20 : $0 } : bytes
        }
    }
#endif
