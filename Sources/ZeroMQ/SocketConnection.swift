#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// One connection of a socket that listens, by its descriptor: libzmq has no other way to end just one.
///
/// The descriptor is libzmq's, which may close it at any time, and the system gives its number to the next that asks. So the
/// other side's address is remembered: a connection of somebody else is not ended in its stead.
public struct SocketConnection: Sendable, Hashable {
    /// Its number; unique among the connections that are open.
    public let descriptor: CInt
    /// Who is at the other end, as the system writes it; for ipc the same for all.
    private let peer: [UInt8]

    /// The connection that has this descriptor now, as a ``MonitorEvent`` or a ``Message`` names it; `nil` when none has.
    public init?(_ descriptor: CInt) {
        guard let peer = Self.peer(of: descriptor) else { return nil }
        self.descriptor = descriptor
        self.peer = peer
    }

    /// Ends it: libzmq finds it broken and forgets it; nothing happens when it is over already.
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
