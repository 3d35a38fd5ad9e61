/// Checks that a coordinator can bind an endpoint and that peers on this machine can connect to it.
package enum EndpointRule {
    /// The longest path of a Unix socket in bytes: Linux's `sun_path` without its final NUL.
    package static let longestSocketPath = 107

    /// The problem with an endpoint for `who`; nil when it is valid.
    package static func problem(with endpoint: String, for who: String = "workers") -> String? {
        if endpoint.hasPrefix("tcp://") {
            return problem(withAddress: endpoint.dropFirst("tcp://".count), in: endpoint, for: who)
        }
        guard endpoint.hasPrefix("ipc:///") else {
            return "must be tcp://HOST:PORT or ipc:///ABSOLUTE/PATH, not '\(endpoint)'"
        }
        let bytes = endpoint.utf8.count - "ipc://".utf8.count
        guard bytes <= longestSocketPath else {
            return "has a socket path of \(bytes) bytes, but \(longestSocketPath) is the most; choose a shorter one"
        }
        return nil
    }

    private static func problem(withAddress address: Substring, in endpoint: String, for who: String) -> String? {
        guard let colon = address.lastIndex(of: ":"), colon != address.startIndex else {
            return "must be tcp://HOST:PORT, not '\(endpoint)'"
        }
        let host = address[..<colon]
        let port = address[address.index(after: colon)...]
        guard let number = Int(port), (1...65535).contains(number) else {
            return "must end in a port from 1 to 65535, not ':\(port)'"
        }
        guard !["*", "0.0.0.0", "[::]"].contains(host) else {
            return "must name an address that \(who) can connect to, such as 127.0.0.1, not '\(host)'"
        }
        return nil
    }
}
