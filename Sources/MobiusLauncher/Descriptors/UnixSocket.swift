import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Stream sockets in the file system.
enum UnixSocket {
    /// Creates a listening socket at a path that does not exist; only this user may connect.
    static func listen(at path: String) throws -> Int32 {
        let descriptor = try make()
        guard bind(descriptor, to: path), chmod(path, 0o600) == 0, Self.start(descriptor) else {
            let failure = SystemFailure()
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    /// Connects to the socket at a path.
    static func connect(to path: String) throws -> Int32 {
        let descriptor = try make()
        let isThere = withAddress(path) { address, length in
            #if canImport(Glibc)
                Glibc.connect(descriptor, address, length) == 0
            #else
                Darwin.connect(descriptor, address, length) == 0
            #endif
        }
        guard isThere == true else {
            let failure = SystemFailure()
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    /// Writes all bytes; returns `false` after an error, or when the peer reads nothing for a second.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, noSignal) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard poll(&waiting, 1, 1000) > 0 else { return false }
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    private static func make() throws -> Int32 {
        #if canImport(Glibc)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw SystemFailure() }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    private static func start(_ descriptor: Int32) -> Bool {
        #if canImport(Glibc)
            Glibc.listen(descriptor, 16) == 0
        #else
            Darwin.listen(descriptor, 16) == 0
        #endif
    }

    private static func bind(_ descriptor: Int32, to path: String) -> Bool {
        withAddress(path) { address, length in
            #if canImport(Glibc)
                Glibc.bind(descriptor, address, length) == 0
            #else
                Darwin.bind(descriptor, address, length) == 0
            #endif
        } ?? false
    }

    /// Calls `body` with the address; returns nil, with `errno` set, when the path is too long for an address.
    private static func withAddress<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            errno = ENAMETOOLONG
            return nil
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static var noSignal: Int32 {
        #if canImport(Glibc)
            Int32(MSG_NOSIGNAL)
        #else
            0
        #endif
    }
}
