import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import MobiusTransport
import MobiusWire
import TestTraits
import Testing

/// A program without effects.
private enum Idle: LoopProgram {
    static func initiate() -> First<Int, String> { First(model: 0) }

    static func update(_ model: Int, _ event: Int) -> Next<Int, String> { .next(model + event) }
}

/// Clients that hold connections and ask nothing more, at a real socket.
@Suite(.patient)
struct IdleClientTests {
    /// A client that asks once and then holds on; it does not come back when its connection ends.
    private final class Holder {
        private let socket: Socket

        init(_ context: Context, to endpoint: String) throws {
            let socket = try context.socket(.dealer)
            try socket.set(.reconnectInterval, to: nil)
            try socket.connect(endpoint)
            self.socket = socket
        }

        /// Asks something; whether an answer comes.
        func isAnswered() throws -> Bool {
            var bytes: [UInt8] = []
            NumberedRequest(number: 1, request: .quarantined(.main)).encode(into: &bytes)
            guard try socket.send(bytes) == .sent else { return false }
            var message = Message()
            var poller = Poller()
            _ = poller.add(socket)
            guard try poller.wait(timeout: Patience.limit) > 0 else { return false }
            return try socket.receiveWhole(into: &message) == .message
        }
    }

    @Test func theyDoNotKeepAnOperatorOut() async throws {
        let folder = try TestFolder()
        var settings = CoordinatorSettings(name: "idle", bind: "ipc://" + folder.file("workers"), journal: .none)
        settings.clientBind = "ipc://" + folder.file("clients")
        settings.maximumConnections = 64
        let listening = Journey<String>()
        let coordinator = Coordinator<Idle>(settings, routes: EffectRouter()) { listening.add($0) }
        let running = Task { try await coordinator.run() }
        try await listening.wait { $0.count == 1 }
        let endpoint = try #require(settings.clientBind)
        // Each takes a place and keeps it; those that come when all are taken are served as well.
        let answered = try await onThread {
            let context = Context()
            var crowd: [Holder] = []
            for _ in 0..<150 {
                let holder = try Holder(context, to: endpoint)
                crowd.append(holder)
                guard try holder.isAnswered() else { break }
            }
            return crowd.count
        }
        #expect(answered == 150)
        coordinator.stop()
        try await running.value
    }
}
