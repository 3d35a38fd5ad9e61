import FleetTestSupport
import Foundation
import Logging
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusProgram
import MobiusWire
import MobiusWorker
import TestTraits
import Testing

/// A loop that has a worker say again what it was told; its texts are all alike.
private enum Bulk: InPlaceLoopProgram {
    static let size = 64 << 20
    static let text = String(repeating: "payload ", count: size / 8)

    struct Model: Codable, Sendable, Equatable {
        var told = 0
        var echoed = 0
        var failures: [String] = []
    }

    enum Event: Codable, Sendable, Equatable {
        case told(String)
        case echoed(String)
        case failed(String)
    }

    enum Effect: Codable, Sendable, Equatable {
        case echo(String)
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        switch event {
        case .told(let text):
            model.told += text == Self.text ? 1 : 0
            return .next(effects: [.echo(text)])
        case .echoed(let text): model.echoed += text == Self.text ? 1 : 0
        case .failed(let reason): model.failures.append(reason)
        }
        return .next()
    }
}

/// Payloads beyond 4 MiB, where the limit was raised.
@Suite(.patient)
struct LargePayloadTests {
    private let folder: TestFolder
    private let routes = EffectRouter<Bulk.Effect, Bulk.Event>()
        .routeCase(Bulk.Effect.echo).toWorkers("bulk", timeout: Patience.limit) { .failed("\($1)") }

    init() throws {
        folder = try TestFolder()
    }

    private var settings: CoordinatorSettings {
        var settings = CoordinatorSettings(
            name: "bulk", bind: "ipc://" + folder.file("workers"), journal: .file(folder.file("journal")),
            maximumPayload: UInt32(Bulk.size + 1024))
        settings.clientBind = "ipc://" + folder.file("clients")
        settings.keepsHistory = true
        return settings
    }

    @Test func optionsAndVariablesSetTheLimit() throws {
        func limit(_ arguments: String...) throws -> UInt32 {
            try CoordinatorOptions.parse(arguments).settings(name: "bulk").maximumPayload
        }
        #expect(try limit() == 4 << 20)
        #expect(try limit("--max-payload", "64MiB") == 64 << 20)
        #expect(try limit("--max-payload", "256MiB") == 256 << 20)
        for wrong in ["1023", "257MiB", "0", "4294967296", "4GiB"] {
            let error = #expect(throws: (any Error).self) { try limit("--max-payload", wrong) }
            let message = error.map { CoordinatorOptions.message(for: $0) } ?? ""
            #expect(message.contains("must be 1KiB to 256MiB, not"), "\(message)")
            #expect(error.map { CoordinatorOptions.exitCode(for: $0).rawValue } == 64)
        }
    }

    @Test func sixtyFourMebibytesTravelBothWaysAndThroughTheJournal() async throws {
        let worker = Worker<Bulk.Effect, Bulk.Event>(
            WorkerSettings(pools: ["bulk"], connect: settings.bind),
            handler: EffectRouter().routeCase(Bulk.Effect.echo).toEvent { .echoed($0) }, logger: .quiet)
        let working = Task { try await worker.run() }
        let client = FleetClient(
            connect: settings.clientBind ?? "", timeout: Patience.limit, maximumPayload: Bulk.size + 1024)
        let expected = Bulk.Model(told: 1, echoed: 1)

        let first = Coordinator<Bulk>(settings, routes: routes, logger: .quiet)
        let running = Task { try await first.run() }
        // Put together here: to code it takes seconds in a debug build.
        let event = Payload(
            kind: PayloadKind(type: ""), bytes: [UInt8](#"{"told":{"_0":""#.utf8) + Bulk.text.utf8 + #""}}"#.utf8)
        try await client.send(event, key: "k")
        for await model in first.loop.models where !model.failures.isEmpty || model.echoed > 0 {
            #expect(model == expected)
            break
        }
        first.stop()
        try await running.value

        // It computes for seconds: not on a thread that other tests share.
        let summary = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { [settings, routes] in
                continuation.resume(
                    with: Result { try Coordinator<Bulk>.verify(settings, routes: routes, logger: .quiet) })
            }
        }
        #expect("\(summary)".contains("came out the same"), "\(summary)")
        let second = Coordinator<Bulk>(settings, routes: routes, logger: .quiet)
        let again = Task { try await second.run() }
        let error = await #expect(throws: FleetClientError.self) {
            try await client.send(Bulk.Event.failed("other"), key: "k")
        }
        #expect(error?.code == .conflict)
        for await model in second.loop.models {
            #expect(model == expected)
            break
        }
        second.stop()
        try await again.value
        worker.drain()
        try await working.value
    }
}
