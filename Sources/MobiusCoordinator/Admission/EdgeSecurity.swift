import Logging
import MobiusProcess
import MobiusTransport

/// The protection of an edge's sockets: keys, and limits that apply with and without keys.
struct EdgeSecurity: Sendable {
    /// The folder with the coordinator's keys; without keys, only processes on this machine may connect.
    var keys: String?
    /// The most connections of each socket.
    var connections: Int
    /// The file descriptors that the rest of the process needs.
    var reserved = 128
    /// Makes the authenticators reload the allow-list.
    var call = AuthenticationSignal()

    /// The time that a worker may be connected without sending HELLO.
    static let helloTime = Duration.seconds(10)

    /// Refuses endpoints that require keys, without side effects.
    ///
    /// - Throws: ``CoordinatorError``.
    func check(_ endpoints: [String]) throws(CoordinatorError) {
        do throws(KeyError) {
            for endpoint in endpoints { try EndpointScope.check(toBind: endpoint, hasKeys: keys != nil) }
        } catch {
            throw CoordinatorError(.security, error.message, underlying: error)
        }
    }

    /// Reads the keys and the allow-list for these endpoints; `nil` without keys, for all processes on this machine.
    ///
    /// - Throws: ``CoordinatorError`` when keys are missing, or cannot be used.
    func admission(binding endpoints: [String]) throws(CoordinatorError) -> Admission? {
        try check(endpoints)
        do throws(KeyError) {
            if let keys { return try Admission(KeyDirectory(keys)) }
            for endpoint in endpoints { try SocketFolder.prepare(for: endpoint) }
            return nil
        } catch {
            throw CoordinatorError(.security, error.message, underlying: error)
        }
    }

    /// Starts the authenticator for a context's sockets; `nil` without keys.
    func authenticator(
        _ admission: Admission?, in context: Context, logger: Logger, changed: @escaping @Sendable () -> Void
    ) throws(CoordinatorError) -> ZAPAuthenticator? {
        guard let admission, let keys else { return nil }
        do throws(ZeroMQError) {
            return try ZAPAuthenticator(
                admission, KeyDirectory(keys), in: context, call: call, logger: logger, changed: changed)
        } catch {
            throw CoordinatorError(.endpoint, "Cannot start the allow-list authenticator: \(error)", underlying: error)
        }
    }

    /// The limits of a socket, which leave ``reserved`` file descriptors for the rest of the process.
    func limits(_ listener: Admission.Listener) -> ConnectionLedger.Limits {
        var limits = ConnectionLedger.Limits()
        limits.open = max(16, min(connections, (OpenFiles.limit - reserved) / 2))
        switch listener {
        case .workers:
            limits.unknown = min(limits.open, 256)
            limits.silence = Self.helloTime
        case .clients:
            // A client may be idle without a limit, but cannot keep others out: a quarter is reserved for new ones.
            limits.unknown = min(limits.open / 4, 512)
            limits.dropsIdlest = true
        }
        return limits
    }
}
