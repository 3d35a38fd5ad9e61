import FleetTestSupport
import Logging
import MobiusCoordinator
import MobiusCore
import MobiusEngine
import MobiusWire

/// A coordinator of any program that runs in this process, without workers.
final class Running<Program: LoopProgram>: Sendable {
    let coordinator: Coordinator<Program>
    /// What it logs from notice on: level, message and metadata.
    let logged: Journey<String>
    private let running: Task<Void, any Error>

    init(
        _ journal: String, name: String = "shop", routes: EffectRouter<Program.Effect, Program.Event>,
        clients: String? = nil, _ change: (inout CoordinatorSettings) -> Void = { _ in }
    ) {
        let logged = Journey<String>()
        self.logged = logged
        var settings = CoordinatorSettings(
            name: name, bind: "tcp://127.0.0.1:*", journal: .file(journal), timing: .quick)
        settings.clientBind = clients
        change(&settings)
        let coordinator = Coordinator<Program>(settings, routes: routes, logger: .collecting(logged))
        self.coordinator = coordinator
        running = Task(executorPreference: TaskThread()) { try await coordinator.run() }
    }

    deinit {
        running.cancel()
    }

    func stop() async throws {
        coordinator.stop()
        try await running.value
    }

    /// Waits for its end.
    func failure() async -> (any Error)? {
        do {
            try await running.value
            return nil
        } catch {
            return error
        }
    }

    /// The first model that is seen of a loop.
    func model(of loop: LoopID = .main) async -> Program.Model? {
        for await model in coordinator.loop.loop(loop).models { return model }
        return nil
    }
}

extension Logger {
    /// A logger that adds what it logs, from notice on.
    static func collecting(_ logged: Journey<String>) -> Logger {
        Logger(label: "test") { _ in Collector(logged: logged) }
    }
}

private struct Collector: LogHandler {
    let logged: Journey<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        logged.add("\(event.level) \(event.message) \(metadata.joined(separator: " "))")
    }
}
