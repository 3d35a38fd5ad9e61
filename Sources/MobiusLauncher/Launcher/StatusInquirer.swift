import MobiusClient
import MobiusProcess
import MobiusTransport
import Synchronization

/// Requests the coordinator's status; connects with the first request.
final class StatusInquirer: Sendable {
    private let endpoint: String
    private let key: PeerKey?
    private let client = Mutex<FleetClient?>(nil)

    /// Uses the key in `MOBIUS_KEY`, if it is set; a coordinator with keys requires one.
    ///
    /// - Throws: `FleetExit` 78 when the key cannot be read.
    init(endpoint: String, environment: [String: String]) throws {
        self.endpoint = endpoint
        do throws(KeyError) {
            let file = environment["MOBIUS_KEY"] ?? ""
            key = file.isEmpty ? nil : try PeerKey(file: file)
        } catch {
            throw FleetExit(.configuration, error.message)
        }
    }

    /// The status; nil when no reply arrives in time.
    func status() async -> FleetStatus? {
        let client = client.withLock { client in
            let connected = client ?? FleetClient(connect: endpoint, key: key, timeout: .seconds(2))
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
