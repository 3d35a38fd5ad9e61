import MobiusDriver
import MobiusEngine
import MobiusRuntime
import MobiusTransport
import MobiusWire

/// A worker's transport to the owner of a shard over ZeroMQ: one ``CoordinatorConnection`` at a time.
///
/// Only the thread that runs the edge uses it.
final class WorkerSocket: WorkerTransport {
    /// The endpoint to which it is connected, or was last.
    private(set) var endpoint: String
    /// The endpoints that the worker was given.
    private let doors: [String]
    /// The endpoint of a MOVED that cannot be used, and was logged last.
    private var ignored: String?
    private let key: PeerKey?
    private var handshakes: HandshakeWatch
    private let lock: SocketLock
    private let telemetry: WorkerTelemetry
    private let context: Context
    private var isClosed = false
    /// Whether its driver has left: nothing is read any more, and the connection stays for the last messages.
    var hasLeft = false
    /// The readiness of the connection.
    var ready = CoordinatorConnection.Ready()
    /// `nil` while the driver pauses between two connections.
    private(set) var connection: CoordinatorConnection?
    /// The first failure.
    private var failure: (any Error)?

    init(doors: [String], key: PeerKey?, context: Context, lock: SocketLock, telemetry: WorkerTelemetry) {
        precondition(!doors.isEmpty, "A worker has at least one endpoint.")
        self.doors = doors
        endpoint = doors[0]
        self.key = key
        handshakes = HandshakeWatch(hasKey: key != nil)
        self.context = context
        self.lock = lock
        self.telemetry = telemetry
    }

    func connect(to endpoint: String?) {
        guard !isClosed else { return }
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
                to: self.endpoint, key: key, in: context, lock: lock)
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

    /// Passes on what its connection has received.
    ///
    /// - Returns: whether more messages may wait.
    func receive(
        into driver: WorkerDriver, at now: Moment, atMost limit: Int, reach: inout ReachWatch
    ) throws -> Bool {
        let ready = ready
        self.ready = CoordinatorConnection.Ready()
        while ready.events, let event = try connection?.nextMonitorEvent() {
            try handle(event, driver, at: now, &reach)
        }
        guard ready.messages else { return false }
        for _ in 0..<(ready.expectsOne ? 1 : limit) {
            guard try connection?.receive(into: driver, at: now) == true else { return false }
        }
        guard !ready.expectsOne else { return false }
        self.ready.messages = true
        return true
    }

    private func handle(
        _ event: MonitorEvent, _ driver: WorkerDriver, at now: Moment, _ reach: inout ReachWatch
    ) throws {
        telemetry.log.connection(event, isQuiet: driver.isOneOfMany)
        reach.note(event)
        // Only those that the operator named may end the worker.
        if !driver.isMoved, let refusal = handshakes.handle(event) {
            throw WorkerError(.forbidden, refusal.sentence(at: endpoint, key: key))
        }
        switch event.kind {
        case .handshakeSucceeded: driver.connected(at: now)
        case .disconnected, .connectRetried, .handshakeFailed: driver.disconnected(at: now)
        default: break
        }
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

    /// Closes the socket for good.
    func close() {
        isClosed = true
        connection = nil
    }
}
