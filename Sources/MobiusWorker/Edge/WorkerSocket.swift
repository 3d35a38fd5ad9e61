import MobiusDriver
import MobiusKeys
import MobiusRuntime
import MobiusWire
import ZeroMQ

/// A worker's transport over ZeroMQ: one ``CoordinatorConnection`` at a time.
///
/// It belongs to the thread that runs the edge.
final class WorkerSocket: WorkerTransport {
    private let endpoint: String
    private let key: PeerKey?
    private let wakeUp: WakeUp
    private let turn: SocketTurn
    private let telemetry: WorkerTelemetry
    private var context: Context? = Context()
    /// `nil` while the driver pauses between two connections.
    private(set) var connection: CoordinatorConnection?
    /// What failed first.
    private var failure: (any Error)?

    /// - Parameter wakeUp: what ends ``wait(timeout:)``, beside the connection.
    init(endpoint: String, key: PeerKey?, wakeUp: WakeUp, turn: SocketTurn, telemetry: WorkerTelemetry) {
        self.endpoint = endpoint
        self.key = key
        self.wakeUp = wakeUp
        self.turn = turn
        self.telemetry = telemetry
    }

    func connect() {
        guard let context else { return }
        do throws(ZeroMQError) {
            connection = try CoordinatorConnection(to: endpoint, key: key, in: context, wakeUp: wakeUp, turn: turn)
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

    /// Waits for a message, an event of the connection or the wake-up; answers which of them came.
    func wait(timeout: Duration) throws -> CoordinatorConnection.Ready {
        if let connection { return try connection.wait(timeout: timeout) }
        var poller = Poller()
        _ = poller.add(wakeUp)
        return CoordinatorConnection.Ready(wakeUp: try poller.wait(timeout: timeout) > 0)
    }

    /// - Throws: ``WorkerError`` for an endpoint that can never work, `ZeroMQError` for a socket that failed.
    func throwFailure() throws {
        if let failure { throw failure }
    }

    private func fail(_ error: any Error) {
        if failure == nil { failure = error }
    }

    /// Closes it for good, once what was sent last has left.
    func close() {
        connection = nil
        // Enough for the last messages to leave, without delaying the worker's end by more than a second.
        context.take()?.terminate(patience: .seconds(1))
    }
}
