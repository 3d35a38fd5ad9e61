import FleetTestSupport
import Logging
import MobiusCore
import MobiusTransport
import MobiusWire
import MobiusWorker
import TestTraits
import Testing

/// Workers that their coordinator does not admit.
@Suite(.patient)
struct RejectionTests {
    @Test func aRejectedWorkerEndsAndSaysWhy() async throws {
        let coordinator = try await StubbornCoordinator("this coordinator speaks version 2 of the protocol only")
        let worker = ContextWorker(coordinator.endpoint) { router, _ in router }
        let error = await #expect(throws: WorkerError.self) { try await worker.end() }
        #expect(error?.code == .rejected)
        #expect(error?.message.contains("speaks version 2 of the protocol only") == true)
        await coordinator.end()
    }

    @Test func aRejectedProcessExitsWith69AndTheReason() async throws {
        let coordinator = try await StubbornCoordinator("this coordinator speaks version 2 of the protocol only")
        let worker = try TestProcess("greeter-worker", ["--connect", coordinator.endpoint])
        #expect(try await worker.end() == .exited(69))
        #expect(
            worker.errors.elements.contains {
                $0.contains("Error: The coordinator at \(coordinator.endpoint) does not admit this worker: this coord")
            })
        await coordinator.end()
    }

    @Test func aWorkerWithoutHandlersForItsPoolIsRejectedBeforeItsFirstEffect() async throws {
        let coordinator = Fleet()
        var settings = WorkerSettings(pools: ["drill"], connect: try await coordinator.endpoint(), timing: .quick)
        settings.name = "stranger"
        let stranger = Worker(settings, handler: EffectRouter<Stranger, Stranger>(), logger: .quiet)
        let error = await #expect(throws: WorkerError.self) { try await stranger.run() }
        #expect(error?.code == .rejected)
        let reason = """
            effects of the type MobiusCoordinatorTests.Drill.Effect go to the pool drill, and this worker has handlers only for \
            MobiusCoordinatorTests.Stranger: build it with
            """
        #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
        // In another pool it is welcome.
        settings.pools = ["strangers"]
        let logged = Journey<String>()
        var logger = Logger.collecting(logged)
        logger.logLevel = .info
        let guest = Worker(settings, handler: EffectRouter<Stranger, Stranger>(), logger: logger)
        let visit = Task(executorPreference: TaskThread()) { try await guest.run() }
        try await logged.wait(for: "it to join") { $0.contains { $0.contains("joined the coordinator") } }
        guest.drain()
        try await visit.value
        try await coordinator.stop()
    }

    @Test func anEndpointThatCanNeverWorkIs69Too() async throws {
        let worker = try TestProcess("greeter-worker", ["--connect", "carrier-pigeon://somewhere"])
        #expect(try await worker.end() == .exited(69))
        #expect(worker.errors.elements.contains { $0.contains("Cannot connect to carrier-pigeon://somewhere") })
    }
}

/// A type of effects that no coordinator asks for.
private struct Stranger: Codable, Sendable {}

/// It answers everything that it gets with REJECT.
private final class StubbornCoordinator: Sendable {
    let endpoint: String
    private let thread: SocketThread
    private let isOver = WakeUp()

    init(_ reason: String) async throws {
        let thread = SocketThread(name: "stubborn")
        self.thread = thread
        let isOver = isOver
        endpoint = try await withCheckedThrowingContinuation { (answer: CheckedContinuation<String, any Error>) in
            thread.start {
                do {
                    let socket = try Context().socket(.router)
                    try socket.bind("tcp://127.0.0.1:*")
                    answer.resume(returning: try socket.lastEndpoint)
                    try? Self.serve(socket, until: isOver, reason)
                } catch {
                    answer.resume(throwing: error)
                }
            }
        }
    }

    func end() async {
        isOver.signal()
        await thread.finished()
    }

    private static func serve(_ socket: borrowing Socket, until isOver: WakeUp, _ reason: String) throws {
        var poller = Poller()
        _ = poller.add(socket)
        let end = poller.add(isOver)
        var peer = PeerID()
        var message = Message()
        var frame: [UInt8] = []
        Envelope<CoordinatorMessage>(epoch: 0, session: 0, message: .reject(reason)).encode(into: &frame)
        while true {
            try poller.wait(timeout: nil)
            if poller.isReadable(end) { return }
            while case .message = try socket.receive(from: &peer, into: &message) {
                _ = try socket.send(to: peer, frame)
            }
        }
    }
}
