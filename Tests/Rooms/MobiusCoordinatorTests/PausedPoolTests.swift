import FleetTestSupport
import MobiusClient
import MobiusCoordinator
import MobiusCore
import TestTraits
import Testing

/// Pools that operators pause, and the journal.
@Suite(.patient)
struct PausedPoolTests {
    /// Loops that ask for nothing: no route names a pool.
    private enum Quiet: LoopProgram {
        struct Model: Codable, Sendable, Equatable {}

        enum Event: Codable, Sendable { case nothing }

        typealias Effect = Never

        static func initiate() -> First<Model, Effect> { First(model: Model()) }

        static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> { .noChange }
    }

    @Test func aPoolThatNothingNamesIsPausedUnderAllFormsOfItsName() async throws {
        let folder = try TestFolder()
        let client = FleetClient(connect: "ipc://" + folder.file("clients"), timeout: .seconds(3600))
        func run() -> Running<Quiet> {
            Running<Quiet>(folder.file("journal"), routes: EffectRouter(), clients: client.endpoint)
        }
        var running = run()
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        #expect(try await client.pausePool(composed, why: "w") == .done)
        #expect(try await client.pausePool(decomposed, why: "w") == .repeated)
        #expect(try await client.resumePool(decomposed) == .done)
        try await running.stop()
        running = run()
        #expect(try await client.status().pools.isEmpty)
        #expect(try await client.resumePool(composed) == .repeated)
        try await running.stop()
    }
}
