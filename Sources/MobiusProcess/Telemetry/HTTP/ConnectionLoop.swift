import Foundation

#if canImport(Glibc)
    @preconcurrency import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// All connections of a server; used by its thread only.
struct ConnectionLoop {
    private let listener: ListeningSocket
    private let limits: SmallHTTPServer.Limits
    private var connections: [UInt64: Connection] = [:]
    private var last: UInt64 = 0
    /// Whether the process has no descriptor for another connection: it is tried again after a second.
    private var hasNoDescriptors = false

    init(_ listener: ListeningSocket, _ limits: SmallHTTPServer.Limits) {
        (self.listener, self.limits) = (listener, limits)
    }

    mutating func run(server: SmallHTTPServer, _ wakeUp: WakeUp, _ handler: @escaping SmallHTTPServer.Handler) {
        while let answers = server.takeAnswers() {
            for (id, response, isHead) in answers {
                connections[id]?.begin(response, isHead: isHead, isLast: limits.closesAfterAnswer)
                serve(id, server, handler)
            }
            let order = wait(wakeUp)
            for id in order { serve(id, server, handler) }
            acceptAll()
            dropLate()
        }
        connections.removeAll()
    }

    /// Waits until something can be done; returns the connections with something to read or room to write.
    private mutating func wait(_ wakeUp: WakeUp) -> [UInt64] {
        let order = Array(connections.keys)
        var entries = [
            pollfd(fd: wakeUp.reader, events: Int16(POLLIN), revents: 0),
            pollfd(fd: hasNoDescriptors ? -1 : listener.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        for id in order {
            let (descriptor, events) = connections[id].map { ($0.descriptor, $0.interest) } ?? (-1, 0)
            entries.append(pollfd(fd: events == 0 ? -1 : descriptor, events: events, revents: 0))
        }
        let isIdle = order.isEmpty && !hasNoDescriptors
        guard poll(&entries, nfds_t(entries.count), isIdle ? -1 : 1_000) > 0 else { return [] }
        if entries[0].revents != 0 { wakeUp.drain() }
        return order.indices.filter { entries[$0 + 2].revents != 0 }.map { order[$0] }
    }

    private mutating func acceptAll() {
        var count = 0
        while true {
            while let descriptor = listener.accept() {
                count += 1
                if connections.count >= limits.connections, !dropIdlest() {
                    close(descriptor)
                    continue
                }
                last += 1
                connections[last] = Connection(descriptor)
            }
            // Linux says so even when nobody waits. While somebody does, waiting for the listener would return at once.
            hasNoDescriptors = [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) && listener.hasPending
            guard hasNoDescriptors, count == 0, dropIdlest() else { return }
            count += 1
        }
    }

    /// Reads and writes as far as it goes without waiting.
    private mutating func serve(_ id: UInt64, _ server: SmallHTTPServer, _ handler: @escaping SmallHTTPServer.Handler) {
        guard let connection = connections[id] else { return }
        while true {
            switch connection.proceed() {
            case .waits: return
            case .ended:
                connections[id] = nil
                return
            case .asks(let request):
                let isHead = request.method == "HEAD"
                switch handler(request) {
                case .now(let response): connection.begin(response, isHead: isHead, isLast: limits.closesAfterAnswer)
                case .later(let make): Task { server.answer(id, await make(), isHead: isHead) }
                }
            }
        }
    }

    /// Makes room: by the connection that has waited longest for a request, else by the slowest reader.
    private mutating func dropIdlest() -> Bool {
        func oldest(_ isMeant: (Connection) -> Bool) -> UInt64? {
            connections.filter { isMeant($0.value) }.min { $0.value.since < $1.value.since }?.key
        }
        guard let id = oldest(\.isIdle) ?? oldest({ !$0.isAnswering }) else { return false }
        connections[id] = nil
        return true
    }

    private mutating func dropLate() {
        let now = ContinuousClock.now
        connections = connections.filter { _, connection in
            connection.isAnswering || now - connection.since < connection.patience(limits.patience)
        }
    }
}

/// One connection; closed when the last reference is gone.
private final class Connection {
    enum Step {
        case waits
        case ended
        case asks(SmallHTTPServer.Request)
    }

    private enum Phase {
        case reading
        /// The answer is being made.
        case answering
        case writing
        /// Everything is said: what the client still sends is thrown away, because a close would make it lose the answer.
        case draining
    }

    private static let longestHead = 16 << 10
    private static let mostDrained = 64 << 10

    let descriptor: Int32
    /// The time at which its current phase began.
    private(set) var since = ContinuousClock.now
    private var phase = Phase.reading
    private var received: [UInt8] = []
    /// The number of these bytes that are known to hold no end of a head.
    private var searched = 0
    private var unsent: ArraySlice<UInt8> = []
    private var drained = 0
    private var closesAfterwards = false

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    var isIdle: Bool { phase == .reading }
    var isAnswering: Bool { phase == .answering }

    /// Returns the time limit of its phase.
    func patience(_ limit: Duration) -> Duration { phase == .draining ? min(limit, .seconds(2)) : limit }

    /// The events of `poll` to wait for.
    var interest: Int16 {
        switch phase {
        case .reading, .draining: Int16(POLLIN)
        case .answering: 0
        case .writing: Int16(POLLOUT)
        }
    }

    func begin(_ response: SmallHTTPServer.Response, isHead: Bool, isLast: Bool) {
        closesAfterwards = closesAfterwards || isLast
        unsent = Self.bytes(response, isHead: isHead, closes: closesAfterwards)[...]
        enter(.writing)
    }

    private func enter(_ next: Phase) {
        phase = next
        since = .now
    }

    func proceed() -> Step {
        while true {
            switch phase {
            case .answering: return .waits
            case .reading:
                if let end = headEnd { return consume(headOf: end) }
                if received.count > Self.longestHead {
                    refuse(431, "The request has too long a head.\n")
                } else if let step = receive() {
                    return step
                }
            case .writing:
                if let step = sendAll() { return step }
                if closesAfterwards {
                    shutdown(descriptor, Int32(SHUT_WR))
                    received = []
                    enter(.draining)
                } else {
                    enter(.reading)
                }
            case .draining:
                if let step = receive() { return step }
                drained += received.count
                received = []
                if drained > Self.mostDrained { return .ended }
            }
        }
    }

    /// Reads once; returns what to do if nothing came.
    private func receive() -> Step? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4_096) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            let code = errno
            if count > 0 {
                received.append(contentsOf: buffer.prefix(count))
                return nil
            }
            return count < 0 && (code == EAGAIN || code == EINTR) ? .waits : .ended
        }
    }

    /// Writes as much as the client takes; returns what to do if that is not all.
    private func sendAll() -> Step? {
        while !unsent.isEmpty {
            let (count, code) = unsent.withUnsafeBytes { bytes in
                (send(descriptor, bytes.baseAddress, bytes.count, ListeningSocket.sendFlags), errno)
            }
            guard count > 0 else { return code == EAGAIN || code == EINTR ? .waits : .ended }
            unsent = unsent.dropFirst(count)
        }
        return nil
    }

    /// The end of the empty line after a head.
    private var headEnd: Int? {
        let start = max(0, searched - 3)
        searched = received.count
        return received[start...].firstRange(of: Array("\r\n\r\n".utf8))?.upperBound
    }

    private func consume(headOf end: Int) -> Step {
        let lines = String(decoding: received[..<(end - 4)], as: UTF8.self).split(separator: "\r\n")
        received.removeFirst(end)
        searched = 0
        let words = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1."), !words[0].isEmpty, words[1].hasPrefix("/") else {
            refuse(400, "This is no request of HTTP/1.1.\n")
            return proceed()
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let halves = line.split(separator: ":", maxSplits: 1)
            guard halves.count == 2 else { continue }
            headers[halves[0].lowercased()] = halves[1].trimmingCharacters(in: .whitespaces)
        }
        let hasBody = headers["transfer-encoding"] != nil || headers["content-length"].map { $0 != "0" } == true
        let keepsAlive = words[2] == "HTTP/1.1" && headers["connection"]?.lowercased() != "close"
        closesAfterwards = hasBody || !keepsAlive
        enter(.answering)
        return .asks(.init(method: String(words[0]), target: String(words[1]), host: headers["host"] ?? ""))
    }

    private func refuse(_ status: Int, _ sentence: String) {
        begin(.init(status, sentence), isHead: false, isLast: true)
    }

    private static func bytes(
        _ response: SmallHTTPServer.Response, isHead: Bool, closes: Bool
    ) -> [UInt8] {
        var head = "HTTP/1.1 \(response.status) \(reasons[response.status] ?? "Status")\r\n"
        head += "Content-Type: \(response.type)\r\nContent-Length: \(response.body.count)\r\n"
        for (name, value) in response.headers { head += "\(name): \(value)\r\n" }
        if closes { head += "Connection: close\r\n" }
        return Array((head + "\r\n").utf8) + (isHead ? [] : response.body)
    }

    private static let reasons = [
        200: "OK", 301: "Moved Permanently", 302: "Found", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed", 410: "Gone",
        431: "Request Header Fields Too Large", 500: "Internal Server Error", 503: "Service Unavailable",
    ]
}
