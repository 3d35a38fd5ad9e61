import MobiusDriver
import MobiusKeys
import MobiusRuntime
import MobiusWire
import ZeroMQ

/// A worker's transport over ZeroMQ: one ``CoordinatorConnection`` at a time.
///
/// Only the thread that runs the edge uses it.
final class WorkerSocket: WorkerTransport {
    private let endpoint: String
    private let key: PeerKey?
    private let wakeUp: WakeUp
    private let lock: SocketLock
    private let telemetry: WorkerTelemetry
    private var context: Context? = Context()
    /// `nil` while the driver pauses between two connections.
    private(set) var connection: CoordinatorConnection?
    /// The first failure.
    private var failure: (any Error)?

    /// - Parameter wakeUp: ends ``wait(timeout:)``, as the connection does.
    init(endpoint: String, key: PeerKey?, wakeUp: WakeUp, lock: SocketLock, telemetry: WorkerTelemetry) {
        self.endpoint = endpoint
        self.key = key
        self.wakeUp = wakeUp
        self.lock = lock
        self.telemetry = telemetry
    }

    func connect() {
        guard let context else { return }
        do throws(ZeroMQError) {
            connection = try CoordinatorConnection(to: endpoint, key: key, in: context, wakeUp: wakeUp, lock: lock)
        } catch {
            fail(WorkerError(.endpoint, "Cannot connect to \(endpoint): \(error)"))
        }
    }

    func disconnect() {
        telemetry.serves(false)
        connection = nil
    }

    func send(_ message: WorkerMessage, as frame: [UInt8]) {
        if case .events = message { Failpoint.beforeReport.pass() }
        do throws(ZeroMQError) {
            try connection?.send(frame)
        } catch {
            fail(error)
        }
        if case .events = message { Failpoint.afterReport.pass() }
    }

    /// Waits for a message, an event of the connection or the wake-up, and returns which of them are ready.
    func wait(timeout: Duration) throws -> CoordinatorConnection.Ready {
        if let connection { return try connection.wait(timeout: timeout) }
        var poller = Poller()
        _ = poller.add(wakeUp)
        return CoordinatorConnection.Ready(wakeUp: try poller.wait(timeout: timeout) > 0)
    }

    /// Throws the first failure, if there is one.
    ///
    /// - Throws: ``WorkerError`` for an endpoint that can never work, `ZeroMQError` for a socket that failed.
    func throwFailure() throws {
        if let failure { throw failure }
    }

    private func fail(_ error: any Error) {
        if failure == nil { failure = error }
    }

    /// Closes the socket for good, after the last messages have been transmitted.
    func close() {
        connection = nil
        // The last messages get up to a second, so the worker's end is not delayed for longer.
        context.take()?.terminate(patience: .seconds(1))
    }
}
