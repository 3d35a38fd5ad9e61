/// The default endpoint at which clients reach a coordinator.
public enum ClientEndpoint {
    /// The endpoint for clients that goes with an endpoint for workers.
    ///
    /// The port after a tcp endpoint's (the system chooses it when that is `*` or 0), the path of an ipc endpoint with
    /// `-client` behind it. `nil` when there is none: port 65535, or a transport that reaches no other process.
    public static func beside(_ workers: String) -> String? {
        if workers.hasPrefix("ipc://") {
            return workers == "ipc://*" ? workers : workers + "-client"
        }
        guard workers.hasPrefix("tcp://"), let colon = workers.lastIndex(of: ":"), !workers[colon...].hasPrefix("://")
        else { return nil }
        let start = workers[...colon]
        let port = workers[workers.index(after: colon)...]
        if port == "*" || port == "0" { return start + "*" }
        guard let number = UInt16(port), number < .max else { return nil }
        return start + "\(number + 1)"
    }
}
