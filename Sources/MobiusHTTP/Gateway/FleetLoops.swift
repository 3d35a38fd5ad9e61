#if HTTP
    package import MobiusClient
    package import MobiusWire

    /// The loops of a fleet, which a client asks for.
    package struct FleetLoops: LoopService {
        package let access: LoopAccess
        private let client: FleetClient

        /// Asks through this client.
        package init(_ client: FleetClient, access: LoopAccess) {
            (self.client, self.access) = (client, access)
        }

        package func ask(
            _ request: ClientRequest, as caller: LoopCaller, traceparent: String
        ) async throws(Problem) -> ClientAnswer {
            // A coordinator answers within half a minute that a model is still the same.
            let limit: Duration? = if case .watch = request { .seconds(60) } else { nil }
            do {
                return try await client.relay(
                    request, token: caller.token, isForPeople: caller.isMasked, traceparent: traceparent, timeout: limit
                )
            } catch let error as FleetClientError {
                // Its sentence names endpoints, which are nobody's business here; the log and `/readyz` have it.
                let reason =
                    error.code == .busy ? "The coordinator has too much to do" : "No coordinator answered in time"
                throw Problem(.busy, "\(reason); try again.", retryAfter: 1000)
            } catch {
                throw .cancelled
            }
        }
    }
#endif
