import Foundation
import Synchronization

#if canImport(Glibc)
    @preconcurrency import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An HTTP/1.1 server for small answers: probes, metrics, and the sample site.
///
/// One thread of its own waits for all connections (`poll`); answers are made in tasks. Requests have no bodies: one that
/// announces a body is answered, and its connection is closed. Hummingbird does all of HTTP, and takes minutes to compile.
package final class SmallHTTPServer: Sendable {
    /// One request, without its body.
    package struct Request: Sendable {
        /// `GET`, `HEAD` …
        package let method: String
        /// As it was sent: path and query.
        package let target: String
        /// The value of `Host`, or empty.
        package let host: String
        /// The target without its query.
        package var path: String { String(target.prefix { $0 != "?" }) }
    }

    /// One answer; a `HEAD` gets the same without its body.
    package struct Response: Sendable {
        package var status: Int
        package var type: String
        package var headers: [(name: String, value: String)]
        package var body: [UInt8]

        package init(
            _ status: Int, type: String = "text/plain; charset=utf-8", headers: [(name: String, value: String)] = [],
            _ body: [UInt8]
        ) {
            (self.status, self.type, self.headers, self.body) = (status, type, headers, body)
        }

        package init(_ status: Int, _ text: String) { self.init(status, Array(text.utf8)) }
    }

    /// What clients may cost.
    package struct Limits: Sendable {
        /// Connections; beyond them the one that has waited longest for its next request is closed.
        package var connections: Int
        /// Whether a connection is closed after its first answer.
        package var closesAfterAnswer: Bool
        /// How long a request may take to arrive, and a client to read an answer.
        package var patience = Duration.seconds(30)

        package init(connections: Int, closesAfterAnswer: Bool) {
            (self.connections, self.closesAfterAnswer) = (connections, closesAfterAnswer)
        }
    }

    package typealias Handler = @Sendable (Request) async -> Response

    /// The port that it listens on.
    package let port: Int

    private let wakeUp: WakeUp
    private let state = Mutex(State())

    private struct State {
        /// Answers that the thread is to send.
        var answers: [(connection: UInt64, response: Response, isHead: Bool)] = []
        var isStopping = false
        var onEnd: CheckedContinuation<Void, Never>?
        var hasEnded = false
    }

    /// Listens, and answers from now on.
    ///
    /// - Throws: ``SocketError`` when it cannot listen there.
    package init(host: String, port: Int, _ limits: Limits, _ handler: @escaping Handler) throws {
        let listener = try Listener(host: host, port: port)
        self.port = listener.port
        wakeUp = try WakeUp()
        let thread = Thread { [self] in
            var loop = ConnectionLoop(listener, limits)
            loop.run(server: self, wakeUp, handler)
            finish()
        }
        thread.name = "http"
        thread.start()
    }

    /// Ends all connections, and returns when the port is free.
    package func stop() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                state.isStopping = true
                if !state.hasEnded { state.onEnd = continuation }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() } else { wakeUp.signal() }
        }
    }

    private func finish() {
        let waiter = state.withLock { state in
            state.hasEnded = true
            defer { state.onEnd = nil }
            return state.onEnd
        }
        waiter?.resume()
    }

    fileprivate func answer(_ connection: UInt64, _ response: Response, isHead: Bool) {
        state.withLock { $0.answers.append((connection, response, isHead)) }
        wakeUp.signal()
    }

    /// What the thread has to do; `nil` when it is to end.
    fileprivate func takeAnswers() -> [(connection: UInt64, response: Response, isHead: Bool)]? {
        state.withLock { state in
            if state.isStopping { return nil }
            defer { state.answers = [] }
            return state.answers
        }
    }
}

/// Why a socket could not be made.
package struct SocketError: Error, CustomStringConvertible {
    package let description: String

    init(_ what: String, _ code: Int32 = errno) { description = "\(what): \(String(cString: strerror(code)))" }
    init(name: String, _ code: Int32) { description = "\(name): \(String(cString: gai_strerror(code)))" }
}

// MARK: - The thread

/// All connections of a server; used by its thread only.
private struct ConnectionLoop {
    private let listener: Listener
    private let limits: SmallHTTPServer.Limits
    private var connections: [UInt64: Connection] = [:]
    private var last: UInt64 = 0

    init(_ listener: Listener, _ limits: SmallHTTPServer.Limits) {
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
                    let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, sendFlags) }
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

// MARK: - Sockets

#if canImport(Glibc)
    private let sendFlags = Int32(MSG_NOSIGNAL)
    private let streamType = Int32(SOCK_STREAM.rawValue)
#else
    private let sendFlags: Int32 = 0
    private let streamType = SOCK_STREAM
#endif

private func prepare(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var on: Int32 = 1
    #if canImport(Darwin)
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
}

/// A socket that listens; closed with its last reference.
private final class Listener: Sendable {
    let descriptor: Int32
    let port: Int

    init(host: String, port: Int) throws {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE
        hints.ai_socktype = streamType
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(port)", &hints, &found)
        guard code == 0 else { throw SocketError(name: host, code) }
        defer { freeaddrinfo(found) }
        var failure = SocketError("\(host) has no address", EADDRNOTAVAIL)
        var candidate = found
        while let address = candidate?.pointee {
            do throws(SocketError) {
                descriptor = try Self.open(address)
                self.port = Self.port(of: descriptor)
                return
            } catch {
                failure = error
            }
            candidate = address.ai_next
        }
        throw failure
    }

    deinit { close(descriptor) }

    func accept() -> Int32? {
        #if canImport(Glibc)
            let accepted = Glibc.accept(descriptor, nil, nil)
        #else
            let accepted = Darwin.accept(descriptor, nil, nil)
        #endif
        guard accepted >= 0 else { return nil }
        prepare(accepted)
        return accepted
    }

    private static func open(_ address: addrinfo) throws(SocketError) -> Int32 {
        let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
        guard descriptor >= 0 else { throw SocketError("socket") }
        prepare(descriptor)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0, listen(descriptor, 128) == 0 else {
            let failure = SocketError("bind")
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    private static func port(of descriptor: Int32) -> Int {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                getsockname(descriptor, address, &length) == 0
            else { return 0 }
            // The port follows the family, in IPv4 and IPv6 alike.
            return Int(bytes[2]) << 8 | Int(bytes[3])
        }
    }
}

/// Ends the thread's wait from another thread.
private final class WakeUp: Sendable {
    let reader: Int32
    private let writer: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SocketError("pipe") }
        (reader, writer) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        close(reader)
        close(writer)
    }

    /// A full pipe has signals enough.
    func signal() {
        var byte: UInt8 = 0
        _ = write(writer, &byte, 1)
    }

    func drain() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(reader, &bytes, bytes.count) > 0 {}
    }
}
