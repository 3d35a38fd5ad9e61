import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A connection on which a test writes what no client would.
final class RawConnection {
    private let descriptor: Int32

    /// Connects to `127.0.0.1:port`.
    init(_ address: String) throws {
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0, let port = UInt16(address.split(separator: ":").last ?? "") else {
            throw POSIXError(.EMFILE)
        }
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
    func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Says that nothing more comes.
    func finish() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// All that comes until the other side closes the connection; blocks.
    func readToEnd() -> String {
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}
