import Foundation
import MobiusProcess

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Sends requests to a running `mobius up`.
package struct ControlClient: Sendable {
    /// The environment variable with the socket's path, which `mobius up` sets for its processes.
    package static let variable = "MOBIUS_CONTROL"

    package let path: String

    /// A client of the socket at `path`; it connects with the first request.
    package init(path: String) {
        self.path = path
    }

    /// Sends a request and returns the last reply; progress replies go to `tell` as they arrive.
    ///
    /// Blocks the thread.
    ///
    /// - Parameter patience: The time that each reply may take; nil for no limit.
    /// - Throws: `FleetExit` 69 when no `mobius up` answers, or when it ends before the last reply.
    package func ask(
        _ request: ControlRequest, patience: Duration? = nil, tell: (String) -> Void = { _ in }
    ) throws -> ControlReply {
        let descriptor: Int32
        do {
            descriptor = try UnixSocket.connect(to: path)
        } catch {
            throw FleetExit(.unavailable, "No mobius up answers at \(path): \(error).")
        }
        defer { close(descriptor) }
        if let patience {
            let (seconds, attoseconds) = patience.components
            var time = timeval()
            time.tv_sec = .init(seconds)
            time.tv_usec = .init(attoseconds / 1_000_000_000_000)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        _ = UnixSocket.write(Array(try JSONEncoder().encode(request)) + [UInt8(ascii: "\n")], to: descriptor)
        var lines = LineReader(descriptor)
        while let line = lines.next() {
            guard let reply = try? JSONDecoder().decode(ControlReply.self, from: Data(line)) else {
                throw FleetExit(
                    .unavailable, "The reply of mobius up at \(path) cannot be decoded: it is of another build.")
            }
            guard let words = reply.tell else { return reply }
            tell(words)
        }
        throw FleetExit(.unavailable, "mobius up ended, or did not answer in time.")
    }
}

/// Reads lines from a socket.
private struct LineReader {
    private let descriptor: Int32
    private var rest: [UInt8] = []

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The next line; nil at the end, and after a time-out.
    mutating func next() -> [UInt8]? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeFirst(end + 1) }
                return Array(rest[..<end])
            }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            rest += buffer[..<count]
        }
    }
}
