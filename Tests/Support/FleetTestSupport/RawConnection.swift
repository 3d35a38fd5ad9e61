import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A connection on which a test writes what no client would.
public final class RawConnection: Sendable {
    private let descriptor: Int32

    /// The seconds after which a connection from which nothing comes counts as ended.
    public static let patience = 600

    /// Connects to `127.0.0.1:port`.
    public init(_ address: String) throws {
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0, let port = UInt16(address.split(separator: ":").last ?? "") else {
            throw POSIXError(.EMFILE)
        }
        // Kernels keep up to 32 MiB for a client that reads nothing: the server would be rid of all it has to say.
        var size = Int32(256 << 10)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        // A test whose connection never ends fails; it does not hold up all the others.
        var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit {
        close(descriptor)
    }

    /// Writes text.
    public func write(_ text: String) { write(Array(text.utf8)) }

    /// Writes bytes.
    public func write(_ bytes: [UInt8]) {
        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Says that nothing more comes.
    public func finish() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Waits until something has come, or the connection has ended, or for so many milliseconds.
    public func waitForSomething(milliseconds: Int32 = Int32(patience * 1000)) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, milliseconds)
    }

    /// Reads what has come into a buffer of this many bytes; `nil` at the end, empty when nothing has come.
    public func read(_ most: Int = 65_536) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: most)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else { return count < 0 && errno == EAGAIN ? [] : nil }
        return Array(buffer[..<count])
    }

    /// What comes next, as soon as something does; `nil` at the end; blocks.
    public func readSome(_ most: Int = 65_536) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: most)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// All that comes until the other side closes the connection; blocks.
    public func readToEnd() -> String {
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}
