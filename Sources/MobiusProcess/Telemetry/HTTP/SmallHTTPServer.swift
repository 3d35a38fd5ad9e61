import Foundation
import Synchronization

/// An HTTP/1.1 server for small answers: probes, metrics, and the sample site.
///
/// One thread of its own waits for all connections (`poll`); answers are made in tasks. Requests have no bodies: one that
/// announces a body is answered, and its connection is closed. Hummingbird does all of HTTP, and takes minutes to compile.
package final class SmallHTTPServer: Sendable {
    /// One request, without its body.
    package struct Request: Sendable {
        /// The method, such as `GET`.
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

    /// The limits on the cost of clients.
    package struct Limits: Sendable {
        /// Connections; beyond them the one that has waited longest for its next request is closed.
        package var connections: Int
        /// Whether a connection is closed after its first answer.
        package var closesAfterAnswer: Bool
        /// The time that a request may take to arrive, and a client to read an answer.
        package var patience = Duration.seconds(30)

        package init(connections: Int, closesAfterAnswer: Bool) {
            (self.connections, self.closesAfterAnswer) = (connections, closesAfterAnswer)
        }
    }

    /// The answer to a request.
    package enum Answer: Sendable {
        /// With this, by the server's thread.
        case now(Response)
        /// With the response that a task makes.
        case later(@Sendable () async -> Response)
    }

    /// Decides on the server's thread, so it must not block.
    package typealias Handler = @Sendable (Request) -> Answer

    /// The port that it listens on.
    package let port: Int

    private let wakeUp: WakeUp
    private let state = Mutex(State())

    private struct State {
        /// Answers that the thread is to send.
        var answers: [(connection: UInt64, response: Response, isHead: Bool)] = []
        var isStopping = false
        var awaitingEnd: [CheckedContinuation<Void, Never>] = []
        var hasEnded = false
    }

    /// Listens, and answers from now on.
    ///
    /// - Throws: ``SocketError`` when it cannot listen there.
    package init(host: String, port: Int, _ limits: Limits, _ handler: @escaping Handler) throws {
        let listener = try ListeningSocket(host: host, port: port)
        self.port = listener.port
        wakeUp = try WakeUp()
        let thread = Thread { [self] in
            var loop = ConnectionLoop(listener, limits)
            loop.run(server: self, wakeUp, handler)
            listener.end()
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
                if !state.hasEnded { state.awaitingEnd.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() } else { wakeUp.signal() }
        }
    }

    private func finish() {
        let waiters = state.withLock { state in
            state.hasEnded = true
            defer { state.awaitingEnd = [] }
            return state.awaitingEnd
        }
        for waiter in waiters { waiter.resume() }
    }

    func answer(_ connection: UInt64, _ response: Response, isHead: Bool) {
        state.withLock { $0.answers.append((connection, response, isHead)) }
        wakeUp.signal()
    }

    /// Removes and returns the answers that the thread has to send; `nil` when it is to end.
    func takeAnswers() -> [(connection: UInt64, response: Response, isHead: Bool)]? {
        state.withLock { state in
            if state.isStopping { return nil }
            defer { state.answers = [] }
            return state.answers
        }
    }
}
