#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Finds out why nothing can be reached at an endpoint, which libzmq does not tell.
package enum EndpointProbe {
    /// The system's reason why a connection to a `tcp` or `ipc` endpoint fails, such as `Connection refused`; `nil` if it
    /// does not fail, and for other transports.
    ///
    /// It opens a connection and closes it. It blocks its thread, for two seconds at most and while the name is resolved.
    package static func problem(at endpoint: String) -> String? { failure(at: endpoint)?.words }

    /// Whether the system says that nobody listens at an endpoint, so that the process that did has ended; `false` for an
    /// endpoint that cannot be reached, and where one of several addresses of its host does not refuse.
    ///
    /// It blocks as ``problem(at:)`` does.
    package static func isRefused(at endpoint: String) -> Bool { failure(at: endpoint)?.isRefusal == true }

    private struct Failure {
        let words: String
        var isRefusal = false

        init(_ words: String) { self.words = words }

        init(_ code: CInt) {
            words = String(cString: strerror(code))
            // A path that is not there may be one of another host.
            isRefusal = code == ECONNREFUSED
        }
    }

    private static func failure(at endpoint: String) -> Failure? {
        if endpoint.hasPrefix("ipc://") { return failure(atPath: String(endpoint.dropFirst(6))) }
        guard endpoint.hasPrefix("tcp://"), let colon = endpoint.lastIndex(of: ":") else { return nil }
        // A source address may precede a semicolon, and brackets may enclose the host.
        let place = endpoint[endpoint.index(endpoint.startIndex, offsetBy: 6)..<colon]
        let host = place.split(separator: ";").last.map { $0.filter { $0 != "[" && $0 != "]" } } ?? ""
        return failure(atHost: host, port: String(endpoint[endpoint.index(after: colon)...]))
    }

    private static func failure(atHost host: String, port: String) -> Failure? {
        var hints = addrinfo()
        #if canImport(Darwin) || canImport(Musl)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, port, &hints, &found)
        guard code == 0, let found else { return Failure("\(host): \(String(cString: gai_strerror(code)))") }
        defer { freeaddrinfo(found) }
        var problem: Failure?
        var isRefusal = true
        var next: UnsafeMutablePointer<addrinfo>? = found
        while let address = next?.pointee {
            guard let failure = connects(address.ai_family, address.ai_addr, address.ai_addrlen) else { return nil }
            problem = problem ?? failure
            // The process may listen at the others.
            isRefusal = isRefusal && failure.isRefusal
            next = address.ai_next
        }
        problem?.isRefusal = isRefusal
        return problem
    }

    private static func failure(atPath path: String) -> Failure? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connects(AF_UNIX, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// The reason why a connection fails within two seconds; `nil` if it does not.
    private static func connects(
        _ family: CInt, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t
    ) -> Failure? {
        #if canImport(Darwin) || canImport(Musl)
            let descriptor = socket(family, SOCK_STREAM, 0)
        #else
            let descriptor = socket(family, CInt(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { return Failure(errno) }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        if connect(descriptor, address, length) == 0 { return nil }
        guard errno == EINPROGRESS else { return Failure(errno) }
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&polled, 1, 2000) > 0 else { return Failure(ETIMEDOUT) }
        var failure: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size)
        return failure == 0 ? nil : Failure(failure)
    }
}
