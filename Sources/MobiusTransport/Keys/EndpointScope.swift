#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// From where an endpoint can be reached, which decides whether keys are needed.
package enum EndpointScope: Hashable, Sendable {
    /// From this process, this machine's loopback, or a Unix socket in a folder.
    case thisMachine
    /// From this machine, by every user, and under a name that every user may take.
    case everybodyHere
    /// From other hosts, or unknown.
    case network

    /// Classifies an endpoint.
    ///
    /// Only certain loopback addresses count as loopback: a host name other than `localhost` may be anywhere.
    package init(of endpoint: String) {
        if endpoint.hasPrefix("ipc://@") {
            // An abstract socket has no folder that keeps others out: every user of this machine may connect, and,
            // while no process listens, listen in its place.
            self = .everybodyHere
        } else if endpoint.hasPrefix("ipc://") || endpoint.hasPrefix("inproc://") {
            self = .thisMachine
        } else if endpoint.hasPrefix("tcp://") {
            // A connecting endpoint may begin with the source address: tcp://SOURCE;TARGET.
            let address = endpoint.dropFirst("tcp://".count).split(separator: ";", omittingEmptySubsequences: false)
            self = address.allSatisfy { Self.isLoopback($0) } ? .thisMachine : .network
        } else {
            self = .network
        }
    }

    private static func isLoopback(_ address: Substring) -> Bool {
        guard let colon = address.lastIndex(of: ":") else { return false }
        var host = address[..<colon]
        if host == "localhost" || host == "lo" { return true }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            var parsed = in6_addr()
            guard inet_pton(AF_INET6, String(host), &parsed) == 1 else { return false }
            let bytes = withUnsafeBytes(of: parsed) { Array($0) }
            if bytes == [UInt8](repeating: 0, count: 15) + [1] { return true }
            return Array(bytes.prefix(12)) == [UInt8](repeating: 0, count: 10) + [255, 255] && bytes[12] == 127
        }
        var parsed = in_addr()
        // Strict: 127.1 and 0177.0.0.1 mean different addresses to different readers.
        guard inet_pton(AF_INET, String(host), &parsed) == 1 else { return false }
        return withUnsafeBytes(of: parsed) { $0[0] } == 127
    }

    /// Refuses to listen where other hosts can connect without keys.
    ///
    /// - Throws: ``KeyError`` with the commands that make keys.
    package static func check(toBind endpoint: String, hasKeys: Bool) throws(KeyError) {
        guard !hasKeys, mayWork(endpoint) else { return }
        let reach = EndpointScope(of: endpoint)
        if reach == .everybodyHere { throw abstract(endpoint) }
        guard reach == .network else { return }
        throw KeyError(
            .unprotected,
            """
            \(endpoint) can be reached from other hosts, so it needs keys. Make one for each peer, and start with --keys:
              \(KeyDirectory.makingKeys(in: "keys"))
            For this machine alone, listen on 127.0.0.1 or an ipc:// path.
            """)
    }

    /// Refuses to connect to other hosts without a key.
    ///
    /// - Throws: ``KeyError`` with the command that makes one.
    package static func check(toConnect endpoint: String, hasKey: Bool) throws(KeyError) {
        guard !hasKey, mayWork(endpoint) else { return }
        let reach = EndpointScope(of: endpoint)
        if reach == .everybodyHere { throw abstract(endpoint) }
        guard reach == .network else { return }
        throw KeyError(
            .unprotected,
            """
            \(endpoint) is on another host, so a key is needed. On the coordinator's host make one, bring its file here, \
            and start with --key FILE (mobius: --key-file), or MOBIUS_KEY=FILE:
              \(KeyDirectory.makingKeys(in: "keys"))        # or: mobius keys new NAME --client send,read --keys keys
            """)
    }

    private static func abstract(_ endpoint: String) -> KeyError {
        KeyError(
            .unprotected,
            """
            \(endpoint) is an abstract socket, which every user of this machine can connect to and listen at. Choose a path \
            in a folder of your own, such as ipc:///run/fleet/socket, or start with keys: --keys where the coordinator is, \
            --key FILE where a worker is (mobius: --key-file).
            """)
    }

    /// Whether libzmq may accept the endpoint: it refuses unknown ones, and those without a port, itself.
    private static func mayWork(_ endpoint: String) -> Bool {
        if endpoint.hasPrefix("tcp://") { return endpoint.dropFirst("tcp://".count).contains(":") }
        if endpoint.hasPrefix("ipc://@") { return true }
        let others = ["udp", "tipc", "vmci", "vsock", "ws", "wss", "pgm", "epgm", "norm"]
        return others.contains { endpoint.hasPrefix($0 + "://") }
    }
}
