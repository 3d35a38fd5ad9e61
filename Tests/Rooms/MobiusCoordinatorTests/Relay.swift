import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A wire between a worker and its pool that can be cut: to the pool it is as if the worker's machine were gone.
final class Relay: Sendable {
    private struct State {
        var isCut = false
        var open: [Int32] = []
    }

    /// Where the worker connects.
    let endpoint: String
    private let listener: Int32
    private let target: UInt16
    private let state = Mutex(State())

    /// Leads to a TCP endpoint of this machine.
    init(to endpoint: String) throws {
        target = try Self.port(of: endpoint)
        let listener = try Self.socket()
        self.listener = listener
        var address = Self.loopback(0)
        try Self.check(Self.withAddress(&address) { bind(listener, $0, $1) })
        try Self.check(listen(listener, 16))
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try Self.check(
            withUnsafeMutableBytes(of: &address) { bytes in
                getsockname(listener, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, &length)
            })
        self.endpoint = "tcp://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        Thread.detachNewThread { [self] in acceptConnections() }
    }

    /// Cuts all connections; new ones end at once, until ``mend()``.
    func cut() {
        let open = state.withLock { state in
            state.isCut = true
            return state.open
        }
        for descriptor in open { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    /// Lets connections through again.
    func mend() {
        state.withLock { $0.isCut = false }
    }

    /// Ends it, and its threads.
    func end() {
        cut()
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func acceptConnections() {
        while true {
            let worker = accept(listener, nil, nil)
            guard worker >= 0 else {
                if errno == EINVAL { return }  // shut down
                continue
            }
            let isCut = state.withLock { $0.isCut }
            var address = Self.loopback(target)
            guard !isCut, let pool = try? Self.socket() else {
                close(worker)
                continue
            }
            guard Self.withAddress(&address, { connect(pool, $0, $1) }) == 0 else {
                close(worker)
                close(pool)
                continue
            }
            state.withLock { $0.open += [worker, pool] }
            for (from, to) in [(worker, pool), (pool, worker)] {
                Thread.detachNewThread { Self.copy(from, to) }
            }
        }
    }

    /// Descriptors stay open until the process ends: a number used again would be another's.
    private static func copy(_ from: Int32, _ to: Int32) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(from, &buffer, buffer.count), count > 0 {
            guard send(to, buffer, count, noSignal) == count else { break }
        }
        shutdown(to, Int32(SHUT_RDWR))
    }

    /// Writing to a socket that was closed must not end the process.
    private static var noSignal: Int32 {
        #if canImport(Glibc)
            Int32(MSG_NOSIGNAL)
        #else
            0x80000  // MSG_NOSIGNAL, which Darwin does not name for Swift
        #endif
    }

    private static func port(of endpoint: String) throws -> UInt16 {
        guard let colon = endpoint.lastIndex(of: ":"), let port = UInt16(endpoint[colon...].dropFirst()) else {
            throw POSIXError(.EINVAL)
        }
        return port
    }

    private static func socket() throws -> Int32 {
        #if canImport(Glibc)
            let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        try check(descriptor)
        return descriptor
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func withAddress(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafeBytes(of: &address) { bytes in
            body(bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(bytes.count))
        }
    }

    private static func check(_ result: Int32) throws {
        guard result >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}
