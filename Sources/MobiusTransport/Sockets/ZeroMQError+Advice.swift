extension ZeroMQError.Code {
    /// The advice to the operator about the error; `nil` for programmers' errors.
    var advice: String? {
        switch self {
        case .addressInUse: "Stop the process that listens there, or choose another endpoint."
        case .addressNotAvailable: "Use an address of this machine, or * for all of them."
        case .accessDenied: "Choose a port above 1023, or a directory that this user may write to."
        case .noSuchDevice: "Use an address of this machine, or * for all of them; host names serve only to connect."
        case .noSuchEndpoint: "Check that the directory exists and that the endpoint is the one that was bound."
        case .nameTooLong: "Choose a shorter path: an ipc path has at most 107 bytes."
        case .protocolNotSupported: "Use tcp://, ipc:// or inproc://."
        case .tooManySockets: "Raise the open-files limit (ulimit -n), or the context's maxSockets."
        case .terminated: "Make a new Context."
        case .outOfMemory: "Give the process more memory, or send smaller messages."
        default: nil
        }
    }

    /// The same for a failure that may be the endpoint's fault.
    var endpointAdvice: String? {
        switch self {
        case .invalidArgument: "Endpoints look like tcp://127.0.0.1:5701, tcp://*:5701 or ipc:///path/to/socket."
        default: advice
        }
    }
}
