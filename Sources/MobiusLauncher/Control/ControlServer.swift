import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Accepts operators' commands to a running `mobius up`, on a socket in a folder that only this user can enter.
///
/// A connection carries one request and its replies. All I/O runs on the server's serial queue; requests are passed to
/// the supervisor.
///
/// `@unchecked Sendable`: its mutable state is touched on that queue only.
final class ControlServer: @unchecked Sendable {
    private static let longestRequest = 64 << 10
    private static let mostConnections = 64

    let path: String
    private let fleet: ControlReply.Fleet
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "mobius.control")
    private let poller: ReadPoller
    /// The poller's number of the listening socket, while it is open.
    private var listener: Int?
    /// The open connections, by the poller's numbers.
    private var connections: [Int: Connection] = [:]
    private var feed: (@Sendable (Supervisor.Input) -> Void)?

    private struct Connection {
        let descriptor: Int32
        var bytes: [UInt8] = []
        var hasAsked = false
    }

    /// Creates the socket; commands wait until ``start(_:)``.
    init(path: String, fleet: ControlReply.Fleet) throws {
        self.path = path
        self.fleet = fleet
        poller = try ReadPoller(queue: queue)
        descriptor = try UnixSocket.listen(at: path)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    /// Accepts requests from now on.
    func start(_ feed: @escaping @Sendable (Supervisor.Input) -> Void) {
        queue.sync {
            self.feed = feed
            listener = poller.add(descriptor) { [self] _ in accept() }
        }
    }

    /// Closes all connections and accepts no more.
    func stop() {
        queue.sync {
            for number in Array(connections.keys) { hangUp(number) }
            listener.map(poller.remove)
            listener = nil
        }
    }

    /// Sends progress to the client that made a request.
    func tell(_ request: Int, _ words: String) {
        queue.async { self.reply(ControlReply(tell: words), to: request, isLast: false) }
    }

    /// Sends the last reply to a request.
    func answer(_ request: Int, _ answer: Supervisor.Answer) {
        queue.async { self.reply(ControlReply(answer), to: request, isLast: true) }
    }

    private func accept() {
        while true {
            #if canImport(Glibc)
                let peer = Glibc.accept(descriptor, nil, nil)
            #else
                let peer = Darwin.accept(descriptor, nil, nil)
            #endif
            guard peer >= 0 else { return }
            guard connections.count < Self.mostConnections else {
                close(peer)
                continue
            }
            _ = fcntl(peer, F_SETFD, FD_CLOEXEC)
            _ = fcntl(peer, F_SETFL, O_NONBLOCK)
            let number = poller.add(peer) { [self] in read($0) }
            connections[number] = Connection(descriptor: peer)
        }
    }

    private func read(_ number: Int) {
        guard let connection = connections[number] else { return }
        var buffer = [UInt8](repeating: 0, count: 4096)
        #if canImport(Glibc)
            let count = Glibc.read(connection.descriptor, &buffer, buffer.count)
        #else
            let count = Darwin.read(connection.descriptor, &buffer, buffer.count)
        #endif
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        // The client has disconnected; its request is still carried out.
        guard count > 0, !connection.hasAsked else { return hangUp(number) }
        connections[number]?.bytes += buffer[..<count]
        let bytes = connections[number]?.bytes ?? []
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            if bytes.count > Self.longestRequest { hangUp(number) }
            return
        }
        connections[number]?.hasAsked = true
        handle(bytes[..<end], number)
    }

    private func handle(_ line: ArraySlice<UInt8>, _ number: Int) {
        guard let request = try? JSONDecoder().decode(ControlRequest.self, from: Data(line)) else {
            let words = "The request cannot be decoded: mobius up is of another build."
            return reply(ControlReply(refused: words, code: 64), to: number, isLast: true)
        }
        if request.command == .fleet {
            return reply(ControlReply(fleet: fleet), to: number, isLast: true)
        }
        var problem = ""
        guard let input = Supervisor.Input(request, number: number, problem: &problem) else {
            return reply(ControlReply(refused: problem, code: 64), to: number, isLast: true)
        }
        feed?(input)
    }

    private func reply(_ reply: ControlReply, to number: Int, isLast: Bool) {
        guard let connection = connections[number], let data = try? JSONEncoder().encode(reply) else { return }
        let isGone = !UnixSocket.write(Array(data) + [UInt8(ascii: "\n")], to: connection.descriptor)
        if isLast || isGone { hangUp(number) }
    }

    private func hangUp(_ number: Int) {
        connections[number] = nil
        poller.remove(number)
    }
}
