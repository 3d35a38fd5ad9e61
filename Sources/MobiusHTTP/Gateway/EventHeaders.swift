#if HTTP
    import HTTPTypes
    import Hummingbird
    import MobiusWire

    /// The headers of a request that describe the event in its body.
    struct EventHeaders {
        /// Its key, if there is one.
        let key: String?
        /// Its type; with an empty name the loop's own.
        let kind: PayloadKind
        /// The W3C trace context of its effects, or empty.
        let traceparent: String

        /// - Throws: ``Problem``.
        init(_ fields: HTTPFields) throws(Problem) {
            try Self.checkContentType(fields[.contentType])
            key = try fields[.idempotencyKey].map { (text) throws(Problem) in try Self.key(text) }
            kind = try Self.kind(fields[.eventType])
            traceparent = fields[.traceparent].flatMap { $0.utf8.count == 55 ? $0 : nil } ?? ""
        }

        private static func checkContentType(_ text: String?) throws(Problem) {
            let parts = (text ?? "").split(separator: ";").map { trimmed($0).lowercased() }
            guard parts.first == PayloadKind.jsonContentType,
                parts.dropFirst().allSatisfy({ ["charset=utf-8", "charset=\"utf-8\""].contains($0) })
            else {
                throw Problem(.wrongType, "Send the event as JSON, with the header Content-Type: application/json.")
            }
        }

        /// A key as it is, or as a string of structured fields (RFC 9651): in double quotes.
        private static func key(_ text: String) throws(Problem) -> String {
            var key = text
            if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") {
                key = ""
                var isEscaped = false
                for character in text.dropFirst().dropLast() {
                    if character == "\\", !isEscaped {
                        isEscaped = true
                    } else {
                        key.append(character)
                        isEscaped = false
                    }
                }
            }
            if let problem = EventKey.problem(with: key) {
                throw Problem(.invalidRequest, "Idempotency-Key: \(problem)")
            }
            return key
        }

        /// `NAME` or `NAME; version=N`; without a version the newest.
        private static func kind(_ text: String?) throws(Problem) -> PayloadKind {
            guard let text else { return PayloadKind(type: "", version: 1) }
            let parts = text.split(separator: ";", omittingEmptySubsequences: false).map { trimmed($0) }
            var version: UInt16? = 0
            if parts.count == 2 {
                version = parts[1].hasPrefix("version=") ? UInt16(parts[1].dropFirst("version=".count)) : nil
            }
            guard parts.count <= 2, let version, parts.count == 1 || version > 0,
                (1...255).contains(parts[0].utf8.count)
            else {
                throw Problem(.invalidRequest, "The Event-Type is a name, such as Shop.Event or Shop.Event; version=2.")
            }
            return PayloadKind(type: parts[0], version: version)
        }

        private static func trimmed(_ text: some StringProtocol) -> String {
            let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
            return String(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        }
    }
#endif
