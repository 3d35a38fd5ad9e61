import FleetTestSupport
import Foundation
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusJournal
import MobiusWire
import TestTraits
import Testing

/// What clients ask of the loops and their journal, over a real socket.
@Suite(.patient)
struct ClientHostTests {
    private let folder: TestFolder
    private let client: FleetClient

    init() throws {
        folder = try TestFolder()
        client = FleetClient(connect: "ipc://" + folder.file("clients"), timeout: .seconds(3600))
    }

    private func run(_ change: (inout CoordinatorSettings) -> Void = { _ in }) -> Running<Errands> {
        Running(
            folder.file("journal"),
            routes: EffectRouter { effect in
                switch effect {
                case .errand:
                    .toWorkers(
                        "nobody", policy: EffectPolicy(timeouts: EffectTimeouts(scheduleToStart: .milliseconds(500)))
                    ) { _ in .failed }
                }
            }, clients: client.endpoint, change)
    }

    @Test func anEventBeginsItsLoopAndIsConfirmedOnce() async throws {
        let running = run()
        let order = try #require(LoopID("order"))
        #expect(try await client.send(Errands.Event.count(2), loop: order, key: "k").outcome == .done)
        #expect(try await client.send(Errands.Event.count(2), loop: order, key: "k").outcome == .repeated)
        #expect(await running.model(of: order)?.count == 2)
        let status = try await client.status()
        #expect(status.program == "shop" && status.loops.map(\.loop.name) == ["main", "order"])
        try await running.stop()
    }

    @Test func aLoopThatIsNotThereBeginsOnlyForThoseWhoMeanIt() async throws {
        var running = run()
        let order = try #require(LoopID("order"))
        let error = await #expect(throws: FleetClientError.self) {
            try await client.send(Errands.Event.count(1), loop: order, begins: false)
        }
        #expect(error?.code == .notFound)
        #expect(error?.message.hasSuffix("has no loop order.") == true)
        #expect(try await client.send(Errands.Event.count(1), begins: false).outcome == .done)
        #expect(try await client.status().loops.map(\.loop.name) == ["main"])
        #expect(try await client.send(Errands.Event.count(1), loop: order).outcome == .done)
        #expect(try await client.send(Errands.Event.count(1), loop: order, begins: false).outcome == .done)
        try await running.stop()
        // It is there after a restart, too, and where loops begin by themselves any other is.
        running = run { $0.clientsMayStartLoops = true }
        #expect(try await client.send(Errands.Event.count(1), loop: order, begins: false).outcome == .done)
        let other = try #require(LoopID("other"))
        #expect(try await client.send(Errands.Event.count(1), loop: other, begins: false).outcome == .done)
        try await running.stop()
    }

    @Test(arguments: ["main", "never"])
    func anEventThatCannotBeReadIsRefusedAndBeginsNothing(name: String) async throws {
        let running = run()
        let loop = try #require(LoopID(name))
        let error = await #expect(throws: FleetClientError.self) { try await client.send("nonsense", loop: loop) }
        #expect(error?.code == .refused && error?.message.contains("decoding") == true, "\(String(describing: error))")
        #expect(try await client.status().loops.map(\.loop.name) == ["main"])
        try await running.stop()
    }

    @Test func deadLettersAreListedShownRetriedAndDropped() async throws {
        let running = run()
        for errand in ["a", "b", "c"] { try await client.send(Errands.Event.run(errand)) }
        try await failures(running, 3)
        let first = try await client.deadLetters(limit: 2)
        #expect(first.elements.count == 2 && first.more)
        let rest = try await client.deadLetters(loop: .main, after: first.elements[1].id)
        #expect(rest.elements.count == 1 && !rest.more)
        let ids = (first.elements + rest.elements).map(\.id)
        #expect(ids == ids.sorted() && Set(ids).count == 3)
        #expect(first.elements.allSatisfy { $0.pool == "nobody" && $0.round == 0 && !$0.reason.isEmpty })
        let id = first.elements[0].id
        let shown = try await client.deadLetter(id)
        #expect(String(decoding: shown.effect.bytes, as: UTF8.self) == "{\"errand\":{\"_0\":\"a\"}}")
        #expect(try await client.status().letters == 3)
        // It is tried again, and dies once more.
        #expect(try await client.retryDeadLetter(id, round: 0) == .done)
        try await failures(running, 4)
        #expect(try await client.deadLetter(id).letter.round == 1)
        #expect(try await client.retryDeadLetter(id, round: 0) == .repeated)
        #expect(try await client.retryDeadLetter(id, round: 0) == .repeated)
        #expect(try await client.dropDeadLetter(id, round: 1) == .done)
        let error = await #expect(throws: FleetClientError.self) { try await client.deadLetter(id) }
        #expect(error?.code == .notFound)
        #expect(try await client.status().letters == 2)
        try await running.stop()
        let next = run()
        #expect(try await client.deadLetters().elements.map(\.id) == Array(ids.dropFirst()))
        #expect(try await client.status().letters == 2)
        try await next.stop()
    }

    @Test func lettersThatTheJournalNoLongerKeepsAreNotCounted() async throws {
        var running = run { $0.journalLimits = JournalLimits(outsideKeys: 100, deadLetters: 2) }
        let order = try #require(LoopID("order"))
        try await client.send(Errands.Event.run("z"), loop: order)
        try await failures(running, 1, of: order)
        for (index, errand) in ["a", "b", "c", "d"].enumerated() {
            try await client.send(Errands.Event.run(errand))
            try await failures(running, index + 1)
        }
        let ids = try await client.deadLetters(loop: .main).elements.map(\.id)
        #expect(ids.count == 2)
        #expect(try await client.status().letters == 3)
        #expect(try await client.retryDeadLetter(ids[0]) == .done)
        try await failures(running, 5)
        #expect(try await client.status().letters == 3)
        #expect(try await client.dropDeadLetter(ids[1]) == .done)
        #expect(try await client.status().letters == 2)
        try await running.stop()
        running = run()
        #expect(try await client.status().letters == 2)
        try await running.stop()
    }

    private func failures(_ running: Running<Errands>, _ number: Int, of loop: LoopID = .main) async throws {
        for await model in running.coordinator.loop.loop(loop).models where model.failures == number { return }
    }

    @Test func heldLoopsAreListedAndShown() async throws {
        try GoldenJournal.write(
            lines: ["start", "event somebody.else 7 {\"secret\":1}"], to: folder.file("journal"))
        let running = run()
        let held = try await client.quarantine().elements
        #expect(held.map(\.loop) == [.main] && held.map(\.sequence) == [1] && held.map(\.crashes) == [0])
        #expect(held.first?.source.contains("event 1 in the journal cannot be read") == true)
        #expect(try await client.quarantine(after: .main).elements == [])
        let shown = try await client.quarantined(.main)
        #expect(shown.event.kind == PayloadKind(type: "somebody.else", version: 7))
        let send = await #expect(throws: FleetClientError.self) { try await client.send(Errands.Event.count(1)) }
        #expect(send?.message.contains("mobius quarantine show main") == true)
        let drop = await #expect(throws: FleetClientError.self) { try await client.release(.main, drop: true) }
        #expect(drop?.message.contains("nothing of it can be dropped") == true)
        let again = await #expect(throws: FleetClientError.self) { try await client.release(.main, sequence: 1) }
        #expect(again?.message.contains("held again") == true)
        #expect(try await client.release(.main, sequence: 5) == .repeated)
        let other = try #require(LoopID("other"))
        let unknown = await #expect(throws: FleetClientError.self) { try await client.release(other) }
        #expect(unknown?.code == .notFound)
        #expect(try await client.status().loops.map(\.isHeld) == [true])
        try await running.stop()
    }
}

/// Errands that nobody runs.
private enum Errands: InPlaceLoopProgram {
    struct Model: Codable, Sendable {
        var count = 0
        var failures = 0
    }

    enum Event: Codable, Sendable {
        case count(Int)
        case run(String)
        case failed
    }

    enum Effect: Codable, Sendable {
        case errand(String)
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        switch event {
        case .count(let number): model.count += number
        case .run(let words): return .next(effects: [.errand(words)])
        case .failed: model.failures += 1
        }
        return .next()
    }
}
