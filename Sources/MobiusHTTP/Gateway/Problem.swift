#if HTTP
    import HTTPTypes
    import Hummingbird
    import MobiusProcess
    import MobiusWire

    /// The reason why a request has no result, as a problem document (RFC 9457).
    package struct Problem: Error, Hashable, Sendable {
        /// The kinds of problems; clients match these names, so none is ever renamed.
        package enum Code: String, CaseIterable, Codable, Sendable {
            case invalidRequest = "invalid-request"
            case invalidEvent = "invalid-event"
            case tokenMissing = "token-missing"
            case tokenUnknown = "token-unknown"
            case forbidden = "forbidden"
            case notServedHere = "not-served-here"
            case wrongOrigin = "wrong-origin"
            case notFound = "not-found"
            case unknownLoop = "unknown-loop"
            case unknownEvent = "unknown-event"
            case methodNotAllowed = "method-not-allowed"
            case notJSON = "not-json"
            case held = "held"
            case dropped = "dropped"
            case keyConflict = "key-conflict"
            case ended = "ended"
            case tooLarge = "too-large"
            case tooManyLoops = "too-many-loops"
            case wrongType = "unsupported-media-type"
            case wrongHost = "wrong-host"
            case refused = "refused"
            case damaged = "damaged"
            case unsupported = "unsupported"
            case busy = "busy"
        }

        package let code: Code
        /// A sentence for people.
        package let detail: String
        /// The milliseconds after which to try again.
        package var retryAfter: UInt32?
        /// The methods of a resource that lacks the request's.
        package var allow: String?
        /// The number of an event that is on disk although its sender is refused.
        package var event: UInt64?

        package init(
            _ code: Code, _ detail: String, retryAfter: UInt32? = nil, allow: String? = nil, event: UInt64? = nil
        ) {
            self.code = code
            self.detail = detail
            self.retryAfter = retryAfter
            self.allow = allow
            self.event = event
        }
    }

    extension Problem.Code {
        /// The HTTP status.
        package var status: Int {
            switch self {
            case .invalidRequest, .invalidEvent: 400
            case .tokenMissing, .tokenUnknown: 401
            case .forbidden, .notServedHere, .wrongOrigin: 403
            case .notFound, .unknownLoop, .unknownEvent: 404
            case .methodNotAllowed: 405
            case .notJSON: 406
            case .held, .dropped, .keyConflict: 409
            case .ended: 410
            case .tooLarge: 413
            case .wrongType: 415
            case .wrongHost: 421
            case .refused: 422
            case .damaged: 500
            case .unsupported: 501
            case .busy: 503
            case .tooManyLoops: 507
            }
        }

        /// The same in all problems of this kind.
        package var title: String {
            switch self {
            case .invalidRequest: "The request is invalid"
            case .invalidEvent: "The program cannot read the event"
            case .tokenMissing: "A token is needed"
            case .tokenUnknown: "The token is unknown or revoked"
            case .forbidden: "The token lacks a right"
            case .notServedHere: "Loops are not served here"
            case .wrongOrigin: "Another site's page asks"
            case .notFound: "There is no such resource"
            case .unknownLoop: "The loop does not exist"
            case .unknownEvent: "The model after the event is not known"
            case .methodNotAllowed: "The resource lacks this method"
            case .notJSON: "The content has no JSON form"
            case .held: "The loop is held by an event in quarantine"
            case .dropped: "An operator dropped the event"
            case .keyConflict: "The key belongs to another event"
            case .ended: "The loop has ended"
            case .tooLarge: "The event is too large"
            case .tooManyLoops: "The coordinator has as many loops as it may have"
            case .wrongType: "The content type is not supported"
            case .wrongHost: "The request is for another host"
            case .refused: "The program refused the event"
            case .damaged: "The journal is damaged"
            case .unsupported: "The coordinator cannot do this"
            case .busy: "The coordinator is busy"
            }
        }
    }

    extension Problem {
        /// The media type of ``json``.
        static let type = "application/problem+json"

        /// The document.
        package var json: String {
            JSONLine(ProblemBody(self)).text
        }

        /// The response with the document.
        var response: Response {
            var headers: HTTPFields = [:]
            if let retryAfter { headers[.retryAfter] = "\((UInt64(retryAfter) + 999) / 1000)" }
            if let allow { headers[.allow] = allow }
            switch code {
            case .tokenMissing: headers[.wwwAuthenticate] = #"Bearer realm="loops""#
            case .tokenUnknown: headers[.wwwAuthenticate] = #"Bearer realm="loops", error="invalid_token""#
            case .forbidden: headers[.wwwAuthenticate] = #"Bearer realm="loops", error="insufficient_scope""#
            default: break
            }
            return .json(json, HTTPResponse.Status(code: code.status), type: Self.type, headers: headers)
        }
    }

    extension Problem {
        /// The problem of a request about a loop that a coordinator did not do as asked.
        init(_ answer: ClientAnswer, of loop: LoopID? = nil) {
            switch answer {
            case .busy(let retryAfter):
                self.init(
                    .busy, "The coordinator starts, stops or has too much to do; try again.", retryAfter: retryAfter)
            case .notFound:
                self.init(.unknownLoop, "There is no loop \(loop?.name ?? "of this name").")
            case .dropped:
                self.init(.dropped, "An operator dropped the event with this key, so it is never applied.")
            case .refused(let refusal): self.init(Self.code(of: refusal.code), refusal.reason)
            default: self.init(.unsupported, "The coordinator's answer, \(answer.command), is not understood.")
            }
        }

        private static func code(of refusal: ClientRefusal.Code) -> Code {
            switch refusal {
            case .malformed, .invalidQuery: .invalidRequest
            case .invalidEvent: .invalidEvent
            case .held: .held
            case .tooLarge: .tooLarge
            case .forbidden: .forbidden
            case .damaged: .damaged
            case .unknownName: .unknownLoop
            case .unknownEvent: .unknownEvent
            case .ended: .ended
            case .conflict: .keyConflict
            case .unknownToken: .tokenUnknown
            case .tooManyLoops: .tooManyLoops
            default: .unsupported
            }
        }
    }
#endif
