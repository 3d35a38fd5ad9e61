import MobiusDriver
import MobiusKeys
import MobiusRuntime
import MobiusWire
import ZeroMQ

/// A worker's transport over ZeroMQ: one ``CoordinatorConnection`` at a time.
///
/// Only the thread that runs the edge uses it.
final class WorkerSocket: WorkerTransport {
    /// Where it is connected, or was last.
    private(set) var endpoint: String
    /// The endpoints that the worker was given.
    private let doors: [String]
    /// The endpoint of a MOVED that cannot be used, and was logged last.
    private var ignored: String?
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
    init(doors: [String], key: PeerKey?, wakeUp: WakeUp, lock: SocketLock, telemetry: WorkerTelemetry) {
        precondition(!doors.isEmpty, "A worker has at least one endpoint.")
        self.doors = doors
        endpoint = doors[0]
        self.key = key
        self.wakeUp = wakeUp
        self.lock = lock
        self.telemetry = telemetry
    }

    func connect(to endpoint: String?) {
        guard let context else { return }
        if let endpoint { self.endpoint = endpoint }
        let isFrontDoor = doors.contains(self.endpoint)
        telemetry.endpoint = doors.count > 1 || !isFrontDoor ? self.endpoint : nil
        if !isFrontDoor {
            do throws(KeyError) {
                try EndpointScope.check(toConnect: self.endpoint, hasKey: key != nil)
            } catch {
                return ignore(error)
            }
        }
        do throws(ZeroMQError) {
            connection = try CoordinatorConnection(
                to: self.endpoint, key: key, in: context, wakeUp: wakeUp, lock: lock)
        } catch {
            guard isFrontDoor else { return ignore(error) }
            fail(WorkerError(.endpoint, "Cannot connect to \(self.endpoint): \(error)"))
        }
    }

    /// A worker does not end because of what a coordinator names: without a connection the machine goes on soon.
    private func ignore(_ error: any Error) {
        if ignored != endpoint { telemetry.log.unusable(endpoint, error) }
        ignored = endpoint
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
