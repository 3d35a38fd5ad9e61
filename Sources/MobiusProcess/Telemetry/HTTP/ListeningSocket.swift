import Synchronization

#if canImport(Glibc)
    @preconcurrency import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The reason why a socket could not be made.
package struct SocketError: Error, CustomStringConvertible {
    package let description: String

    init(_ what: String, _ code: Int32 = errno) { description = "\(what): \(String(cString: strerror(code)))" }
    init(name: String, _ code: Int32) { description = "\(name): \(String(cString: gai_strerror(code)))" }
}

private func prepare(_ descriptor: Int32) {
    var on: Int32 = 1
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
}

/// A socket that listens until ``end()``, or its last reference is gone.
final class ListeningSocket: Sendable {
    #if canImport(Glibc)
        /// A write to a connection that the client has closed is an error, and no signal that ends the process.
        static let sendFlags = Int32(MSG_NOSIGNAL)
        private static let streamType = Int32(SOCK_STREAM.rawValue)
        /// From the beginning: a child that is forked in between must not keep the port.
        private static let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    #else
        static let sendFlags: Int32 = 0
        private static let streamType = SOCK_STREAM
        private static let flags: Int32 = 0
    #endif

    let descriptor: Int32
    let port: Int
    private let isOpen = Atomic(true)

    init(host: String, port: Int) throws {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE
        hints.ai_socktype = Self.streamType
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(port)", &hints, &found)
        guard code == 0 else { throw SocketError(name: host, code) }
        defer { freeaddrinfo(found) }
        var failure = SocketError("\(host) has no address", EADDRNOTAVAIL)
        var candidate = found
        while let address = candidate?.pointee {
            do throws(SocketError) {
                descriptor = try Self.open(address)
                self.port = Self.port(of: descriptor)
                return
            } catch {
                failure = error
            }
            candidate = address.ai_next
        }
        throw failure
    }

    deinit { end() }

    /// Frees the port.
    func end() {
        if isOpen.exchange(false, ordering: .relaxed) { close(descriptor) }
    }

    /// Whether somebody waits to be accepted.
    var hasPending: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    func accept() -> Int32? {
        #if canImport(Glibc)
            let accepted = Glibc.accept(descriptor, nil, nil)
        #else
            let accepted = Darwin.accept(descriptor, nil, nil)
        #endif
        guard accepted >= 0 else { return nil }
        prepare(accepted)
        return accepted
    }

    private static func open(_ address: addrinfo) throws(SocketError) -> Int32 {
        let descriptor = socket(address.ai_family, address.ai_socktype | flags, address.ai_protocol)
        guard descriptor >= 0 else { throw SocketError("socket") }
        prepare(descriptor)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0, listen(descriptor, 128) == 0 else {
            let failure = SocketError("bind or listen")
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    private static func port(of descriptor: Int32) -> Int {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                getsockname(descriptor, address, &length) == 0
            else { return 0 }
            // The port follows the family, in IPv4 and IPv6 alike.
            return Int(bytes[2]) << 8 | Int(bytes[3])
        }
    }
}

/// Ends the thread's wait from another thread.
final class WakeUp: Sendable {
    let reader: Int32
    private let writer: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SocketError("pipe") }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        close(reader)
        close(writer)
    }

    /// A full pipe has signals enough.
    func signal() {
        var byte: UInt8 = 0
        _ = write(writer, &byte, 1)
    }

    func drain() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(reader, &bytes, bytes.count) > 0 {}
    }
}
