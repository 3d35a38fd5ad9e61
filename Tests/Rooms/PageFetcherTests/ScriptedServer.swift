import Foundation
import Synchronization

/// A server on loopback that answers each request with raw bytes as told, so that it can be as wrong as servers get.
///
/// Each connection has a thread of its own.
final class ScriptedServer: Sendable {
    /// One thing that the server does.
    enum Step: Sendable {
        case send([UInt8])
        /// Sends the bytes again and again until the client goes.
        case trickle(String, every: Duration)
        case close
        /// Closes so that the other side gets an error (RST).
        case reset
        /// Waits until this many requests have come in all.
        case await(requests: Int)

        static func send(_ text: String) -> Step { .send(Array(text.utf8)) }
    }

    /// A request as it came.
    struct Request: Sendable {
        /// First line and headers.
        var text: String
        /// `METHOD PATH`.
        var target: String { text.split(separator: " ").prefix(2).joined(separator: " ") }
    }

    typealias Script = @Sendable (Request, Int) -> [Step]

    /// The port where the server listens.
    let port: Int
    private let listener: Int32
    private let script: Script
    private let requestsCome = NSCondition()
    private let seen = Mutex(Seen())

    private struct Seen {
        var requests: [String] = []
        var connections = 0
        var open: Set<Int32> = []
        var isClosed = false
    }

    /// Where the server listens, without slash at the end.
    var address: String { "http://127.0.0.1:\(port)" }

    /// Each request so far: its first line and headers, as received.
    var requests: [String] { seen.withLock { $0.requests } }

    /// How many connections were accepted so far.
    var connections: Int { seen.withLock { $0.connections } }

    /// `METHOD PATH` of each request so far.
    var targets: [String] { requests.map { Request(text: $0).target } }

    /// Runs `body` with a server that answers by `script`, which gets `METHOD PATH`.
    static func run<Value>(
        _ script: @escaping @Sendable (String) -> [Step], _ body: (ScriptedServer) async throws -> Value
    ) async throws -> Value {
        try await run(counting: { request, _ in script(request.target) }, body)
    }

    /// Runs `body` with a server whose `script` gets the request and how many came before it on the same connection.
    static func run<Value>(
        counting script: @escaping Script, _ body: (ScriptedServer) async throws -> Value
    ) async throws -> Value {
        let server = try ScriptedServer(script)
        defer { server.close() }
        Thread.detachNewThread { server.accept() }
        return try await body(server)
    }

    private init(_ script: @escaping Script) throws {
        self.script = script
        listener = try Socket.listen()
        port = Socket.port(of: listener)
    }

    private func accept() {
        while let socket = Socket.accept(from: listener) {
            let isOpen = seen.withLock { seen in
                seen.connections += 1
                if seen.isClosed == false { seen.open.insert(socket) }
                return seen.isClosed == false
            }
            guard isOpen else {
                Socket.close(socket)
                break
            }
            Thread.detachNewThread { self.serve(socket) }
        }
        Socket.close(listener)
    }

    /// Ends all connections and waiting threads; each closes what it has.
    private func close() {
        seen.withLock { seen in
            seen.isClosed = true
            for socket in seen.open + [listener] { Socket.end(socket) }
        }
        requestsCome.withLock { requestsCome.broadcast() }
    }

    private func serve(_ socket: Int32) {
        var connection = Connection(socket: socket)
        var count = 0
        while let text = connection.nextHead() {
            if text.isEmpty {
                // The first byte of TLS: what a server without TLS says to it.
                connection.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
                break
            }
            requestsCome.withLock {
                seen.withLock { $0.requests.append(text) }
                requestsCome.broadcast()
            }
            count += 1
            guard script(Request(text: text), count - 1).allSatisfy({ perform($0, on: connection) }) else { break }
        }
        // A number that is free is used again at once.
        seen.withLock { seen in
            seen.open.remove(socket)
            Socket.close(socket)
        }
    }

    /// Returns whether the connection goes on.
    private func perform(_ step: Step, on connection: Connection) -> Bool {
        switch step {
        case .send(let bytes): return connection.send(bytes)
        case .close: return false
        case .reset:
            Socket.discardAtClose(connection.socket)
            return false
        case .trickle(let text, let pace):
            while connection.send(Array(text.utf8)) {
                if Socket.isReadable(connection.socket, within: pace) { return false }
            }
            return false
        case .await(let count):
            return requestsCome.withLock {
                while requests.count < count {
                    if seen.withLock({ $0.isClosed }) { return false }
                    requestsCome.wait()
                }
                return true
            }
        }
    }
}

/// One connection of a ``ScriptedServer``.
private struct Connection {
    let socket: Int32
    private var text = ""

    init(socket: Int32) { self.socket = socket }

    /// The next request without the empty line at its end, "" for the beginning of TLS, `nil` at the end.
    mutating func nextHead() -> String? {
        while true {
            if text.utf8.first == 0x16 { return "" }
            if let end = text.firstRange(of: "\r\n\r\n") {
                defer { text = String(text[end.upperBound...]) }
                return String(text[..<end.lowerBound])
            }
            guard let part = Socket.read(from: socket) else { return nil }
            text += String(decoding: part, as: UTF8.self)
        }
    }

    /// Returns whether the client is still there.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool { Socket.write(bytes, to: socket) }
}
