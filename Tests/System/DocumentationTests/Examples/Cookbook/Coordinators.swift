import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import TestTraits

/// Runs a coordinator with a journal on disk in this process.
func withCoordinator<Program: LoopProgram>(
    of program: Program.Type, _ routes: EffectRouter<Program.Effect, Program.Event>,
    _ body: (LoopHandle<Program>) async throws -> Void
) async throws {
    let folder = try TestFolder()
    var settings = CoordinatorSettings(
        name: "recipe", bind: "tcp://127.0.0.1:*", journal: .file(folder.file("journal")))
    settings.clientBind = nil
    let coordinator = Coordinator<Program>(settings, routes: routes)
    let running = Task { try await coordinator.run() }
    try await body(coordinator.loop)
    coordinator.stop()
    try await running.value
}

/// Runs a coordinator of several programs with a journal on disk in this process.
func withCoordinator(
    of programs: Programs, clients: String? = nil, _ body: (LoopHandle<Programs>) async throws -> Void
) async throws {
    let folder = try TestFolder()
    var settings = CoordinatorSettings(
        name: "recipe", bind: "tcp://127.0.0.1:*", journal: .file(folder.file("journal")))
    settings.clientBind = clients
    let coordinator = Coordinator<Programs>(settings, programs: programs)
    let running = Task { try await coordinator.run() }
    try await body(coordinator.loop)
    coordinator.stop()
    try await running.value
}
