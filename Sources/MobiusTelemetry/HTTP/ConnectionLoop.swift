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
            pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        for id in order {
            let (descriptor, events) = connections[id].map { ($0.descriptor, $0.interest) } ?? (-1, 0)
            entries.append(pollfd(fd: events == 0 ? -1 : descriptor, events: events, revents: 0))
        }
        let isIdle = order.isEmpty
        guard poll(&entries, nfds_t(entries.count), isIdle ? -1 : 1_000) > 0 else { return [] }
        if entries[0].revents != 0 { wakeUp.drain() }
        return order.indices.filter { entries[$0 + 2].revents != 0 }.map { order[$0] }
    }

    private mutating func acceptAll() {
        while let descriptor = listener.accept() {
            if connections.count >= limits.connections, !dropIdlest() {
                close(descriptor)
                continue
            }
            last += 1
            connections[last] = Connection(descriptor)
        }
    }

    /// Reads and writes as far as it goes without waiting.
    private mutating func serve(_ id: UInt64, _ server: SmallHTTPServer, _ handler: @escaping SmallHTTPServer.Handler) {
        guard let connection = connections[id] else { return }
        switch connection.proceed() {
        case .waits: return
        case .ended: connections[id] = nil
        case .asks(let request):
            Task { server.answer(id, await handler(request), isHead: request.method == "HEAD") }
        }
    }

    private mutating func dropIdlest() -> Bool {
        guard let idlest = connections.filter({ $0.value.isIdle }).min(by: { $0.value.since < $1.value.since }) else {
            return false
        }
        connections[idlest.key] = nil
        return true
    }

    private mutating func dropLate() {
        let now = ContinuousClock.now
        connections = connections.filter { $0.value.isAnswering || now - $0.value.since < limits.patience }
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
        /// A task makes the answer.
        case answering
        case writing(rest: ArraySlice<UInt8>)
    }

    private static let longestHead = 16 << 10

    let descriptor: Int32
    /// When its current phase began.
    private(set) var since = ContinuousClock.now
    private var phase = Phase.reading { didSet { since = .now } }
    private var received: [UInt8] = []
    private var closesAfterwards = false

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    var isIdle: Bool { if case .reading = phase { true } else { false } }
    var isAnswering: Bool { if case .answering = phase { true } else { false } }

    /// What to wait for.
    var interest: Int16 {
        switch phase {
        case .reading: Int16(POLLIN)
        case .answering: 0
        case .writing: Int16(POLLOUT)
        }
    }

    func begin(_ response: SmallHTTPServer.Response, isHead: Bool, isLast: Bool) {
        closesAfterwards = closesAfterwards || isLast
        phase = .writing(rest: Self.bytes(response, isHead: isHead, closes: closesAfterwards)[...])
    }

    func proceed() -> Step {
        while true {
            switch phase {
            case .answering: return .waits
            case .reading:
                if let end = headEnd { return take(headOf: end) }
                guard received.count <= Self.longestHead else {
                    refuse(431, "The request has too long a head.\n")
                    continue
                }
                switch receive() {
                case 0: return .ended
                case ..<0: return errno == EAGAIN || errno == EINTR ? .waits : .ended
                default: continue
                }
            case .writing(var rest):
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes {
                        send(descriptor, $0.baseAddress, $0.count, ListeningSocket.sendFlags)
                    }
                    guard count > 0 else {
                        phase = .writing(rest: rest)
                        return errno == EAGAIN || errno == EINTR ? .waits : .ended
                    }
                    rest = rest.dropFirst(count)
                }
                if closesAfterwards { return .ended }
                phase = .reading
            }
        }
    }

    private func receive() -> Int {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4_096) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { received.append(contentsOf: buffer.prefix(count)) }
            return count
        }
    }

    /// Where the empty line after a head ends.
    private var headEnd: Int? {
        guard let range = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        return range.upperBound
    }

    private func take(headOf end: Int) -> Step {
        let lines = String(decoding: received[..<(end - 4)], as: UTF8.self).split(separator: "\r\n")
        received.removeFirst(end)
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
        phase = .answering
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
