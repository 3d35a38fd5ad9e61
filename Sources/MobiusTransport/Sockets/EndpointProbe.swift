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
    package static func problem(at endpoint: String) -> String? {
        let answers = answers(at: endpoint)
        if answers.contains(.accepted) { return nil }
        if case .failed(let words, _)? = answers.first { return words }
        return nil
    }

    /// The outcome of a connection to one address of an endpoint.
    package enum Answer: Equatable, Sendable {
        case accepted
        /// The system's reason, and whether it is that nobody listens there.
        case failed(String, isRefusal: Bool)
    }

    /// Returns the outcomes of connections to an endpoint's addresses, in their order.
    ///
    /// They end with the first address at which something listens. There are none for other transports than `tcp` and
    /// `ipc`.
    ///
    /// It blocks as ``problem(at:)`` does.
    package static func answers(at endpoint: String) -> [Answer] {
        if endpoint.hasPrefix("ipc://") { return answers(atPath: String(endpoint.dropFirst(6))) }
        guard endpoint.hasPrefix("tcp://"), let colon = endpoint.lastIndex(of: ":") else { return [] }
        // A source address may precede a semicolon, and brackets may enclose the host.
        let place = endpoint[endpoint.index(endpoint.startIndex, offsetBy: 6)..<colon]
        let host = place.split(separator: ";").last.map { $0.filter { $0 != "[" && $0 != "]" } } ?? ""
        return answers(atHost: host, port: String(endpoint[endpoint.index(after: colon)...]))
    }

    private static func failure(_ code: CInt) -> Answer {
        // A path that is not there may be one of another host.
        .failed(String(cString: strerror(code)), isRefusal: code == ECONNREFUSED)
    }

    private static func answers(atHost host: String, port: String) -> [Answer] {
        var hints = addrinfo()
        #if canImport(Darwin) || canImport(Musl)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, port, &hints, &found)
        guard code == 0, let found else {
            return [.failed("\(host): \(String(cString: gai_strerror(code)))", isRefusal: false)]
        }
        defer { freeaddrinfo(found) }
        var answers: [Answer] = []
        var next: UnsafeMutablePointer<addrinfo>? = found
        while let address = next?.pointee {
            answers.append(connects(address.ai_family, address.ai_addr, address.ai_addrlen))
            if answers.last == .accepted { break }
            next = address.ai_next
        }
        return answers
    }

    private static func answers(atPath path: String) -> [Answer] {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return [] }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                [connects(AF_UNIX, $0, socklen_t(MemoryLayout<sockaddr_un>.size))]
            }
        }
    }

    /// Returns the outcome of a connection within two seconds.
    private static func connects(
        _ family: CInt, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t
    ) -> Answer {
        #if canImport(Darwin) || canImport(Musl)
            let descriptor = socket(family, SOCK_STREAM, 0)
        #else
            let descriptor = socket(family, CInt(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { return failure(errno) }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        if connect(descriptor, address, length) == 0 { return .accepted }
        guard errno == EINPROGRESS else { return failure(errno) }
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&polled, 1, 2000) > 0 else { return failure(ETIMEDOUT) }
        var code: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
        return code == 0 ? .accepted : failure(code)
    }
}
