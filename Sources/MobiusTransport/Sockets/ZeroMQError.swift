import CZeroMQ

/// An error of libzmq, or of the system.
///
/// `catch` can match on ``code``. Neither property ever holds payload bytes or secret keys.
public struct ZeroMQError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure: an `errno` value; open, because libzmq passes the system's own values through.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The `errno` value.
        public let rawValue: Int32

        /// Names a failure by its `errno` value.
        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// Something else already listens on the endpoint.
        public static let addressInUse = Code(rawValue: EADDRINUSE)
        /// The address is not one of this machine's.
        public static let addressNotAvailable = Code(rawValue: EADDRNOTAVAIL)
        /// The process may not use this endpoint.
        public static let accessDenied = Code(rawValue: EACCES)
        /// The endpoint, option value or key is not well-formed.
        public static let invalidArgument = Code(rawValue: EINVAL)
        /// The endpoint names a network interface or host that does not exist.
        public static let noSuchDevice = Code(rawValue: ENODEV)
        /// The endpoint's directory does not exist, or nothing is bound or connected to it.
        public static let noSuchEndpoint = Code(rawValue: ENOENT)
        /// The path of an ipc endpoint is longer than the system allows.
        public static let nameTooLong = Code(rawValue: ENAMETOOLONG)
        /// The transport before `://` is unknown to this libzmq.
        public static let protocolNotSupported = Code(rawValue: EPROTONOSUPPORT)
        /// The transport does not fit the type of the socket.
        public static let incompatibleProtocol = Code(rawValue: ENOCOMPATPROTO)
        /// The socket type cannot do this, or libzmq was built without it.
        public static let notSupported = Code(rawValue: ENOTSUP)
        /// The process or the context has no room for another socket or file.
        public static let tooManySockets = Code(rawValue: EMFILE)
        /// Memory is exhausted.
        public static let outOfMemory = Code(rawValue: ENOMEM)
        /// The context was terminated.
        public static let terminated = Code(rawValue: ETERM)
        /// The socket is not in a state that allows this, for instance two sends in a row on REQ.
        public static let wrongState = Code(rawValue: EFSM)
        /// No peer has the routing id.
        public static let hostUnreachable = Code(rawValue: EHOSTUNREACH)
    }

    /// The kind of failure.
    public let code: Code
    /// The operation that failed, for example `bind "tcp://127.0.0.1:5701"`.
    public let message: String
    /// The advice on what to do, if that depends on the operation.
    let hint: String?

    /// Makes an error; `message` names the operation.
    public init(_ code: Code, _ message: String) {
        self.init(code, message, hint: nil)
    }

    init(_ code: Code, _ message: String, hint: String?) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// The error of the libzmq call that has just failed on this thread.
    static func last(_ message: @autoclosure () -> String) -> ZeroMQError {
        ZeroMQError(Code(rawValue: zmq_errno()), message())
    }

    /// The same for a call that was given an endpoint; or, with a code, instead of the call.
    static func last(
        _ verb: String, endpoint: String, code: Code = Code(rawValue: zmq_errno())
    ) -> ZeroMQError {
        ZeroMQError(code, "\(verb) \"\(endpoint)\"", hint: code.endpointAdvice)
    }

    /// The operation and the reason, and what to do if that is known.
    public var description: String {
        let reason = zmq_strerror(code.rawValue).map { String(cString: $0) } ?? "error \(code.rawValue)"
        let sentence = "Could not \(message): \(reason)."
        guard let advice = hint ?? code.advice else { return sentence }
        return sentence + " " + advice
    }
}
