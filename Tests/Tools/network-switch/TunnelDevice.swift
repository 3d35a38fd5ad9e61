#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A network device whose packets this process reads and writes; it goes with the process, wherever it was moved to.
struct TunnelDevice {
    /// What to read and write, one packet at a time, without waiting.
    let descriptor: Int32

    /// Makes a device (Linux: `tun(4)`, IP packets without a head before them).
    init(named name: String) throws {
        #if os(Linux)
            descriptor = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { throw Failure(what: "open /dev/net/tun", code: errno) }
            // struct ifreq: the name in 16 bytes, then the flags IFF_TUN and IFF_NO_PI.
            var request = [UInt8](repeating: 0, count: 40)
            for (index, byte) in name.utf8.prefix(15).enumerated() { request[index] = byte }
            request.withUnsafeMutableBytes { $0.storeBytes(of: UInt16(0x1001), toByteOffset: 16, as: UInt16.self) }
            let result = request.withUnsafeMutableBytes { ioctl(descriptor, 0x4004_54ca, $0.baseAddress!) }
            guard result == 0 else { throw Failure(what: "make the device \(name)", code: errno) }
        #else
            throw Failure(what: "make the device \(name)", code: ENOTSUP)
        #endif
    }

    /// The next packet, if one waits.
    func read() -> [UInt8]? {
        var packet = [UInt8](repeating: 0, count: 65_536)
        let count = packet.withUnsafeMutableBytes { readBytes(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        packet.removeLast(packet.count - count)
        return packet
    }

    /// Delivers a packet; where the device is down, it is lost.
    func write(_ packet: [UInt8]) {
        _ = packet.withUnsafeBytes { writeBytes(descriptor, $0.baseAddress, $0.count) }
    }

    /// Something that the system refused.
    struct Failure: Error, CustomStringConvertible {
        let what: String
        let code: Int32

        var description: String { "network-switch: cannot \(what): \(String(cString: strerror(code)))" }
    }
}

// The system's functions, which methods of those names hide.
private func readBytes(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
