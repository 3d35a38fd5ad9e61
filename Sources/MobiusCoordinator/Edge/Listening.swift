import Logging
import MobiusDriver
import MobiusTransport

// The sockets at which a coordinator listens: where the loops are run, and at a front door.

extension Context {
    /// A ROUTER for workers, which does not listen yet: a monitor must come before ``Socket/listen(at:)``.
    func workerSocket(payloads: UInt32, _ admission: Admission?) throws -> Socket {
        let socket = try socket(.router)
        try socket.prepare(asCoordinatorWithPayloads: payloads)
        try socket.set(.handshakeInterval, to: ConnectionLimiter.handshakeTime)
        try admission?.lock(socket, .workers)
        return socket
    }
}

extension Socket {
    /// Binds a socket for workers.
    ///
    /// - Throws: ``CoordinatorError`` for the operator.
    func listen(at endpoint: String) throws(CoordinatorError) {
        do throws(ZeroMQError) {
            try bind(endpoint)
        } catch {
            throw CoordinatorError(.endpoint, "Cannot listen on \(endpoint): \(error)", underlying: error)
        }
    }
}

extension ClientPort {
    /// Binds the socket for clients, with the limits of a coordinator that takes payloads of this size.
    ///
    /// - Throws: ``CoordinatorError`` for the operator.
    convenience init(
        at endpoint: String, epoch: UInt64, payloads: UInt32, _ admission: Admission?, _ security: EdgeSecurity,
        logger: Logger, context: Context
    ) throws(CoordinatorError) {
        var limits = Limits()
        limits.maximumPayload = payloads
        limits.waitingBytes += Int(payloads)  // room for the largest beside others
        do throws(ZeroMQError) {
            try self.init(
                bind: endpoint, epoch: epoch, limits: limits, admission: admission,
                connections: security.limits(.clients), logger: logger, context: context)
        } catch {
            throw CoordinatorError(
                .endpoint,
                "Cannot listen for clients on \(endpoint): \(error) Choose another --client-bind, or none.",
                underlying: error)
        }
    }
}
