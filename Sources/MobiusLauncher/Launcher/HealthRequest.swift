import Dispatch
import MobiusProcess

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One HTTP request that checks the health of a process, to the loopback port that the process was given.
struct HealthRequest: Sendable {
    /// The path to request, such as `/livez`.
    let path: String
    /// The port; nil when no port was free.
    let port: UInt16?
    /// The time that the response may take.
    let timeout: Duration

    /// Sends the request; returns the problem, or nil when the status is 2xx.
    func run() async -> String? {
        await withCheckedContinuation { continuation in
            // The request blocks, so it does not run on the threads of tasks.
            DispatchQueue.global().async { continuation.resume(returning: answer()) }
        }
    }

    private func answer() -> String? {
        guard let port else { return "no port was free" }
        let deadline = ContinuousClock.now + timeout
        let descriptor = socket(AF_INET, LoopbackPort.stream, 0)
        guard descriptor >= 0 else { return problem() }
        defer { close(descriptor) }
        wait(descriptor, until: deadline)
        guard LoopbackPort.withAddress(port, { connect(descriptor, $0, $1) }) == 0 else { return problem() }
        let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        guard UnixSocket.write(request, to: descriptor) else { return problem() }
        // The status is in the first line; the rest is not read.
        var line: [UInt8] = []
        while !line.contains(UInt8(ascii: "\n")) {
            guard line.count < 1000, ContinuousClock.now < deadline else { return late }
            wait(descriptor, until: deadline)
            var bytes = [UInt8](repeating: 0, count: 1000)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count > 0 else { return count == 0 ? "GET \(path): the connection was closed" : problem() }
            line += bytes[..<count]
        }
        let status = line.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        let parts = String(decoding: status, as: UTF8.self).split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].hasPrefix("HTTP/1.") else { return "GET \(path): the reply is not HTTP" }
        return parts[1].hasPrefix("2") ? nil : "GET \(path): \(TerminalText.line(String(parts[1])))"
    }

    /// Sets a time-out for every blocking call.
    private func wait(_ descriptor: Int32, until deadline: ContinuousClock.Instant) {
        let left = max(deadline - .now, .milliseconds(1)).components
        var time = timeval()
        time.tv_sec = Int(clamping: left.seconds)
        time.tv_usec = .init(left.attoseconds / 1_000_000_000_000)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    private func problem() -> String {
        let code = errno
        return [EAGAIN, EWOULDBLOCK, EINPROGRESS].contains(code)
            ? late : "GET \(path): \(String(cString: strerror(code)))"
    }

    private var late: String { "no answer within \(DurationArgument(timeout))" }
}

/// A port of 127.0.0.1.
enum LoopbackPort {
    #if canImport(Glibc)
        static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        static let stream = SOCK_STREAM
    #endif

    /// A port that is free now; nil when there is none.
    static func free() -> UInt16? {
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard withAddress(0, { bind(descriptor, $0, $1) }) == 0 else { return nil }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isKnown = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return isKnown == 0 ? UInt16(bigEndian: address.sin_port) : nil
    }

    /// Calls `call` with the address of a port.
    static func withAddress(_ port: UInt16, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        // The C functions take addresses of all families as a pointer to `sockaddr`.
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
