#if HTTP
    import HTTPTypes
    import HummingbirdCore
    import MobiusWire
    import NIOCore
    import NIOHTTPTypes
    import Synchronization

    /// Reads bodies of requests, up to a size and for a limited time.
    struct BodyReader: Sendable {
        private let budget: ByteBudget
        private let time: Duration

        init(_ limits: HTTPLimits) {
            budget = ByteBudget(limits.bodyBytes)
            time = limits.body
        }

        /// The whole body, of up to so many bytes.
        ///
        /// - Throws: ``Problem``; then the body was not read to its end.
        func read(
            _ request: Request, upTo limit: Int, on channel: any Channel
        ) async throws(Problem) -> [UInt8] {
            let announced = request.headers[.contentLength].flatMap { Int($0) }
            if let announced, announced > limit { throw Self.tooLarge(announced, limit) }
            let isOver = Flag()
            let timer = channel.eventLoop.scheduleTask(in: TimeAmount(time)) {
                isOver.set()
                channel.close(promise: nil)
            }
            defer { timer.cancel() }
            if request.waitsForContinue {
                // Else its client would send the body after a time-out of its own, or never.
                channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
            }
            var (bytes, leases): ([UInt8], [Lease]) = ([], [])
            defer { withExtendedLifetime(leases) {} }
            do {
                for try await part in request.body {
                    guard bytes.count + part.readableBytes <= limit else { throw Self.tooLarge(nil, limit) }
                    if bytes.count + part.readableBytes > HTTPLimits.small {
                        guard let lease = budget.lease(part.readableBytes) else {
                            throw Problem(
                                .busy, "Too many large events are being received; try again.", retryAfter: 1000)
                        }
                        leases.append(lease)
                    }
                    bytes.append(contentsOf: part.readableBytesView)
                }
            } catch let problem as Problem {
                throw problem
            } catch {
                throw Self.incomplete
            }
            // A connection that ends in the middle of a body may look like the body's end.
            guard !isOver.isSet, announced.map({ $0 == bytes.count }) ?? channel.isActive else { throw Self.incomplete }
            return bytes
        }

        private static func tooLarge(_ bytes: Int?, _ limit: Int) -> Problem {
            let size = bytes.map { "The event has \($0) bytes" } ?? "The event is too large"
            return Problem(.tooLarge, "\(size); this coordinator takes at most \(limit): \(PayloadLimit.advice).")
        }

        private static let incomplete = Problem(.invalidRequest, "The body of the request is incomplete.")
    }

    extension Request {
        /// Whether the client sends the body only after the interim response 100 (RFC 9110, section 10.1.1).
        fileprivate var waitsForContinue: Bool { headers[.expect]?.lowercased() == "100-continue" }
    }

    /// Whether something has happened.
    private final class Flag: Sendable {
        private let value = Atomic(false)

        var isSet: Bool { value.load(ordering: .acquiring) }

        func set() { value.store(true, ordering: .releasing) }
    }
#endif
