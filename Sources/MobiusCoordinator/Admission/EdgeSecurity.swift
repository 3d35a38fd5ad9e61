import Logging
import MobiusCommand
import MobiusKeys
import ZeroMQ

/// What protects the sockets of an edge: keys, and limits that hold with and without them.
struct EdgeSecurity: Sendable {
    /// Where the coordinator's keys are; without, only this machine may come.
    var keys: String?
    /// How many connections each socket may have.
    var connections: Int
    /// Tells the doorkeeper to look at the allow-list.
    var call = DoorCall()

    /// How long a worker may be connected without saying HELLO.
    static let helloTime = Duration.seconds(10)

    /// Refuses endpoints that need keys, without touching anything.
    ///
    /// - Throws: ``CoordinatorError``.
    func check(_ endpoints: [String]) throws(CoordinatorError) {
        do throws(KeyError) {
            for endpoint in endpoints { try Reach.check(toBind: endpoint, hasKeys: keys != nil) }
        } catch {
            throw CoordinatorError(.security, error.message, underlying: error)
        }
    }

    /// Who may come to these endpoints; `nil` for everybody of this machine.
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

    /// Whoever answers for the keys of a context's sockets, if they have any.
    func doorkeeper(
        _ admission: Admission?, in context: Context, logger: Logger, changed: @escaping @Sendable () -> Void
    ) throws(CoordinatorError) -> Doorkeeper? {
        guard let admission, let keys else { return nil }
        do throws(ZeroMQError) {
            return try Doorkeeper(
                admission, KeyDirectory(keys), in: context, call: call, logger: logger, changed: changed)
        } catch {
            throw CoordinatorError(.endpoint, "Nobody can answer for the allow-list: \(error)", underlying: error)
        }
    }

    /// The limits of a socket: descriptors for the rest of the process are left over.
    func limits(_ door: Admission.Door) -> ConnectionLedger.Limits {
        var limits = ConnectionLedger.Limits()
        limits.open = max(16, min(connections, (OpenFiles.limit - 128) / 2))
        switch door {
        case .workers:
            limits.unknown = min(limits.open, 256)
            limits.silence = Self.helloTime
        case .clients:
            // A client may be idle for as long as it likes, but not keep others out: a quarter is for those that come.
            limits.unknown = min(limits.open / 4, 512)
            limits.dropsIdlest = true
        }
        return limits
    }
}
