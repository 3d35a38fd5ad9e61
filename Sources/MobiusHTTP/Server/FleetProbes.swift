#if HTTP
    package import MobiusClient
    import MobiusWire

    /// The probes of a server for the fleet that it serves.
    package struct FleetProbes: Sendable {
        /// The time that a probe waits for a coordinator.
        private static let patience = Duration.seconds(2)

        private let client: FleetClient

        package init(_ client: FleetClient) {
            self.client = client
        }

        /// Its probes: it is ready while a coordinator answers.
        package var probes: ServerProbes {
            ServerProbes(
                unreadiness: { [client] in
                    do {
                        _ = try await client.relay(.rights, token: "", isForPeople: true, timeout: Self.patience)
                        return nil
                    } catch {
                        return "\(error)"
                    }
                },
                status: { [client] in
                    let answer = try? await client.relay(.status, token: "", isForPeople: true, timeout: Self.patience)
                    guard case .status(let status)? = answer else { return nil }
                    return status
                })
        }
    }
#endif
