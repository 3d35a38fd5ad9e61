import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A server on loopback that answers each request with raw bytes as told, so that it can be as wrong as servers get.
final class ScriptedServer: Sendable {
    /// One thing that the server does.
    enum Step: Sendable {
        case send([UInt8])
        /// Sends the bytes again and again until the client goes.
        case trickle(String, every: TimeAmount)
        case close
        /// Closes so that the other side gets an error (RST).
        case reset
        /// Waits until this many requests have come in all.
        case await(requests: Int)

        static func send(_ text: String) -> Step { .send(Array(text.utf8)) }
    }

    private struct Seen {
        var requests: [String] = []
        var connections = 0
        var waiting: [(count: Int, go: EventLoopPromise<Void>)] = []
    }

    private let seen = Mutex(Seen())
    private let channel: Mutex<(any Channel)?> = Mutex(nil)

    /// Where the server listens, without slash at the end.
    var address: String { "http://127.0.0.1:\(port)" }

    var port: Int { channel.withLock { $0?.localAddress?.port } ?? 0 }

    /// Each request so far: its first line and headers, as received.
    var requests: [String] { seen.withLock { $0.requests } }

    /// How many connections were accepted so far.
    var connections: Int { seen.withLock { $0.connections } }

    /// `METHOD PATH` of each request so far.
    var targets: [String] {
        requests.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    }

    /// Runs `body` with a server that answers by `script`, which gets `METHOD PATH`.
    static func run<Value>(
        _ script: @escaping @Sendable (String) -> [Step], _ body: (ScriptedServer) async throws -> Value
    ) async throws -> Value {
        try await run(counting: { request, _ in script(request.target) }, body)
    }

    /// A request as it came.
    struct Request: Sendable {
        /// First line and headers.
        var text: String
        /// `METHOD PATH`.
        var target: String { text.split(separator: " ").prefix(2).joined(separator: " ") }
    }

    /// Runs `body` with a server whose `script` gets the request and how many came before it on the same connection.
    static func run<Value>(
        counting script: @escaping @Sendable (Request, Int) -> [Step], _ body: (ScriptedServer) async throws -> Value
    ) async throws -> Value {
        let server = ScriptedServer()
        let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Connection(server: server, script: script))
                }
            }
        let listener = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        server.channel.withLock { $0 = listener }
        do {
            let value = try await body(server)
            try await listener.close()
            return value
        } catch {
            try? await listener.close()
            throw error
        }
    }

    fileprivate func accepted() { seen.withLock { $0.connections += 1 } }

    fileprivate func received(_ request: String) {
        let ready = seen.withLock { seen in
            seen.requests.append(request)
            let count = seen.requests.count
            let ready = seen.waiting.filter { $0.count <= count }
            seen.waiting.removeAll { $0.count <= count }
            return ready
        }
        for entry in ready { entry.go.succeed() }
    }

    fileprivate func arrival(of count: Int, on loop: any EventLoop) -> EventLoopFuture<Void> {
        let promise = loop.makePromise(of: Void.self)
        let isThere = seen.withLock { seen in
            if seen.requests.count >= count { return true }
            seen.waiting.append((count, promise))
            return false
        }
        if isThere { promise.succeed() }
        return promise.futureResult
    }
}

/// One connection of a ``ScriptedServer``.
private final class Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let server: ScriptedServer
    private let script: @Sendable (ScriptedServer.Request, Int) -> [ScriptedServer.Step]
    private var head = ""
    private var count = 0

    init(server: ScriptedServer, script: @escaping @Sendable (ScriptedServer.Request, Int) -> [ScriptedServer.Step]) {
        self.server = server
        self.script = script
    }

    func channelActive(context: ChannelHandlerContext) { server.accepted() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        head += String(buffer: unwrapInboundIn(data))
        if head.utf8.first == 0x16 {
            // The first byte of TLS: what a server without TLS says to it.
            return perform([.send("HTTP/1.1 400 Bad Request\r\n\r\n"), .close], context.channel)
        }
        while let end = head.firstRange(of: "\r\n\r\n") {
            let request = String(head[..<end.lowerBound])
            head = String(head[end.upperBound...])
            server.received(request)
            count += 1
            perform(script(ScriptedServer.Request(text: request), count - 1)[...], context.channel)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func perform(_ steps: ArraySlice<ScriptedServer.Step>, _ channel: any Channel) {
        guard let step = steps.first else { return }
        let rest = steps.dropFirst()
        switch step {
        case .send(let bytes):
            channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
            perform(rest, channel)
        case .close:
            channel.close(promise: nil)
        case .reset:
            // Nothing may linger: what is closed so is reset.
            guard let options = channel as? any SocketOptionProvider else { return }
            options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
        case .trickle(let text, let pace):
            let task = channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: pace) { _ in
                channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
            }
            channel.closeFuture.whenComplete { _ in task.cancel() }
        case .await(let count):
            let me = NIOLoopBound(self, eventLoop: channel.eventLoop)
            server.arrival(of: count, on: channel.eventLoop).whenSuccess { me.value.perform(rest, channel) }
        }
    }
}
