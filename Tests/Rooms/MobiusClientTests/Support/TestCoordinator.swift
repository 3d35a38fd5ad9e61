import FleetTestSupport
import Logging
import MobiusCoordinator
import MobiusEngine
import MobiusTransport
import MobiusWire
import Synchronization

/// A client port on a thread of its own, with a host that a test makes; it ends when the last reference does.
final class TestCoordinator: Sendable {
    /// Answers at once, or with `nil` later: see ``TestCoordinator/answer(_:_:)``.
    typealias Host = @Sendable (RequestID, ClientRequest) -> ClientAnswer?

    /// Where clients reach it.
    let endpoint: String
    private let folder: TestFolder
    private let inbox: Inbox
    private let thread: SocketThread

    /// Starts one in a folder of its own, or where a former one was, or at any endpoint.
    ///
    /// Not at a TCP port that the system chose for a former one: by then that may be another's.
    init(
        after former: TestCoordinator? = nil, at bind: String? = nil, epoch: UInt64 = 1,
        limits: ClientPort.Limits = .init(), host: @escaping Host
    ) async throws {
        let folder = try former?.folder ?? TestFolder()
        self.folder = folder
        let bind = bind ?? former?.endpoint ?? "ipc://\(folder.file("clients"))"
        let (inbox, thread) = (Inbox(), SocketThread(name: "coordinator"))
        (self.inbox, self.thread) = (inbox, thread)
        let bound = Journey<Result<String, any Error>>()
        thread.start {
            let logger = Logger(label: "test") { _ in NoteHandler(notes: inbox.notes) }
            do {
                let port = try ClientPort(
                    bind: bind, epoch: epoch, limits: limits, logger: logger, context: Context())
                bound.add(.success(try port.endpoint))
                try inbox.serve(port, host)
            } catch {
                bound.add(.failure(error))
            }
        }
        try await bound.wait(for: "the port to listen") { !$0.isEmpty }
        endpoint = try bound.elements[0].get()
    }

    deinit {
        inbox.post(.end)
    }

    /// Requests that the host got, in order.
    var requests: Journey<ClientRequest> { inbox.requests }
    /// What the port logged.
    var notes: Journey<String> { inbox.notes }

    /// Answers a request that the host left open.
    func answer(_ id: RequestID, _ answer: ClientAnswer) {
        inbox.post(.answer(id, answer))
    }

    /// Begins the orderly stop, in which every request that comes from now on is told to come again.
    func stop() async throws {
        inbox.post(.stop)
        try await inbox.stops.wait(for: "the port to stop") { !$0.isEmpty }
    }

    /// Ends it, sockets and all, as a crash would.
    func end() async {
        inbox.post(.end)
        await thread.finished()
    }
}

/// What the thread of a ``TestCoordinator`` holds.
private final class Inbox: Sendable {
    enum Order: Sendable {
        case answer(RequestID, ClientAnswer)
        case stop
        case end
    }

    let requests = Journey<ClientRequest>()
    let notes = Journey<String>()
    /// One when the port has stopped.
    let stops = Journey<Bool>()
    private let wakeUp = WakeUp()
    private let orders = Mutex<[Order]>([])

    func post(_ order: Order) {
        orders.withLock { $0.append(order) }
        wakeUp.signal()
    }

    func serve(_ port: ClientPort, _ host: TestCoordinator.Host) throws {
        var poller = Poller()
        _ = port.add(to: &poller)
        let waking = poller.add(wakeUp)
        while true {
            let taken = orders.withLock { orders in
                defer { orders = [] }
                return orders
            }
            for order in taken {
                switch order {
                case .answer(let id, let answer): try port.answer(id, answer)
                case .stop:
                    port.stop()
                    stops.add(true)
                case .end: return
                }
            }
            var more = true
            while more {
                more = try port.receive { id, request in
                    requests.add(request)
                    if let answer = host(id, request) { try port.answer(id, answer) }
                }
            }
            try poller.wait(timeout: nil)
            if poller.isReadable(waking) { wakeUp.drain() }
        }
    }
}

/// Keeps log lines for a test.
private struct NoteHandler: LogHandler {
    let notes: Journey<String>
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    init(notes: Journey<String>) {
        self.notes = notes
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        notes.add("\(event.message) \(event.metadata?["reason"] ?? "")")
    }
}
