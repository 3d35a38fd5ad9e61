#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// One connection of a listening socket, by its descriptor: libzmq has no other way to close a single connection.
///
/// libzmq owns the descriptor and may close it at any time, and the system may reuse its number. So the peer's address
/// is stored, to avoid closing another peer's connection.
public struct SocketConnection: Sendable, Hashable {
    /// Its number; unique among the open connections.
    public let descriptor: CInt
    /// The peer's address, in the system's form; the same for all peers of ipc.
    private let peer: [UInt8]

    /// The connection that has this descriptor now, as a ``MonitorEvent`` or a ``Message`` names it; `nil` when none has.
    public init?(_ descriptor: CInt) {
        guard let peer = Self.peer(of: descriptor) else { return nil }
        self.descriptor = descriptor
        self.peer = peer
    }

    /// Closes it: libzmq then detects that it is broken; does nothing if it was closed before.
    public func end() {
        guard Self.peer(of: descriptor) == peer else { return }
        shutdown(descriptor, CInt(SHUT_RDWR))
    }

    private static func peer(of descriptor: CInt) -> [UInt8]? {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
        }
        guard result == 0 else { return nil }
        return withUnsafeBytes(of: address) { Array($0.prefix(min(Int(size), $0.count))) }
    }
}
