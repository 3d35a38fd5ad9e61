import MobiusClient
import Synchronization

/// Asks the coordinator how its pools and workers are; connects when it is asked first.
final class StatusInquirer: Sendable {
    private let endpoint: String
    private let client = Mutex<FleetClient?>(nil)

    init(endpoint: String) {
        self.endpoint = endpoint
    }

    /// The status; nil when there is no answer in time.
    func status() async -> FleetStatus? {
        let client = client.withLock { client in
            let connected = client ?? FleetClient(connect: endpoint, timeout: .seconds(2))
            client = connected
            return connected
        }
        return try? await client.status()
    }

    /// Ends the connection.
    func close() async {
        await client.withLock { $0 }?.close()
    }
}
