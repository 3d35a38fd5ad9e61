#if HTTP
    import HTTPTypes

    extension HTTPField.Name {
        /// The key of an event.
        static let idempotencyKey = known("Idempotency-Key")
        /// The type of an event.
        static let eventType = known("Event-Type")
        /// The id of the last model that a reader of a stream has got.
        static let lastEventID = known("Last-Event-ID")
        /// The number of a model's last event.
        static let eventNumber = known("Event-Number")
        /// The state of a model's loop, if it is held.
        static let loopState = known("Loop-State")
        /// The field with the address of the next page (RFC 8288).
        static let link = known("Link")
        /// The W3C trace context.
        static let traceparent = known("traceparent")
        /// The page that made a request, in a browser's words.
        static let secFetchSite = known("Sec-Fetch-Site")
        /// What a browser may do with a response.
        static let contentTypeOptions = known("X-Content-Type-Options")
        static let referrerPolicy = known("Referrer-Policy")
        static let crossOriginOpenerPolicy = known("Cross-Origin-Opener-Policy")
        static let crossOriginResourcePolicy = known("Cross-Origin-Resource-Policy")
        /// Tells proxies not to collect a stream.
        static let accelBuffering = known("X-Accel-Buffering")

        private static func known(_ name: String) -> HTTPField.Name {
            guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is a token") }
            return name
        }
    }
#endif
