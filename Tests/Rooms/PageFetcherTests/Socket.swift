#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The system's stream sockets on loopback, as far as a test server needs them.
enum Socket {
    struct Failed: Error { var code = errno }

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let flags = Int32(MSG_NOSIGNAL)
    #else
        private static let stream = SOCK_STREAM
        private static let flags: Int32 = 0
    #endif

    /// Listens at a free port.
    static func listen() throws -> Int32 {
        let socket = socket(AF_INET, stream, 0)
        guard socket >= 0 else { throw Failed() }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { bind(socket, $0.baseAddress, socklen_t(bytes.count)) }
        }
        guard result == 0, sysListen(socket) == 0 else {
            let failed = Failed()
            close(socket)
            throw failed
        }
        return socket
    }

    /// The port of a socket that listens.
    static func port(of socket: Int32) -> Int {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { getsockname(socket, $0.baseAddress, &size) }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Waits for a connection; `nil` when the listener has ended.
    static func accept(from listener: Int32) -> Int32? {
        let socket = sysAccept(listener)
        guard socket >= 0 else { return nil }
        #if canImport(Darwin)
            var on: Int32 = 1
            setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return socket
    }

    /// Waits for bytes; `nil` at the end.
    static func read(from socket: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(socket, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// Returns whether all bytes could be sent.
    static func write(_ bytes: [UInt8], to socket: Int32) -> Bool {
        var rest = bytes[...]
        while rest.isEmpty == false {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Whether bytes, or the end, come in this time.
    static func isReadable(_ socket: Int32, within time: Duration) -> Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, Int32(time / .milliseconds(1))) > 0
    }

    /// What is closed after this sends an error (RST).
    static func discardAtClose(_ socket: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Ends a socket on which another thread waits.
    static func end(_ socket: Int32) { _ = shutdown(socket, Int32(SHUT_RDWR)) }

    /// Closes a socket.
    static func close(_ socket: Int32) { _ = sysClose(socket) }
}

// The system's functions, which methods of the same name hide.
private func sysListen(_ socket: Int32) -> Int32 { listen(socket, 128) }
private func sysAccept(_ socket: Int32) -> Int32 { accept(socket, nil, nil) }
private func sysClose(_ socket: Int32) -> Int32 { close(socket) }
