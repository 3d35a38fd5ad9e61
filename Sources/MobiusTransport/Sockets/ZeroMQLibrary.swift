import CZeroMQ

/// The libzmq that this process is linked to.
public enum ZeroMQLibrary {
    /// The version at run time, for example `4.3.4`.
    public static var version: String {
        var major: Int32 = 0
        var minor: Int32 = 0
        var patch: Int32 = 0
        zmq_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }

    /// Whether the library was built with CURVE encryption.
    public static var hasCurve: Bool { zmq_has("curve") == 1 }
}
