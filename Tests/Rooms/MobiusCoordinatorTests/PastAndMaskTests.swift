import FleetTestSupport
import Foundation
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusProgram
import MobiusWire
import TestTraits
import Testing

/// Models of the past, and what people must not see, over a real socket.
@Suite(.patient)
struct PastAndMaskTests {
    private let folder: TestFolder
    private let client: FleetClient

    init() throws {
        folder = try TestFolder()
        client = FleetClient(connect: "ipc://" + folder.file("clients"), timeout: .seconds(3600))
    }

    private func run(_ change: (inout CoordinatorSettings) -> Void = { _ in }) -> Running<Vault> {
        Running(
            folder.file("journal"),
            routes: EffectRouter { effect in
                if case .tell(let secret) = effect { return .toSender(secret) }
                return .toWorkers("nobody") { _ in .opened("") }
            },
            clients: client.endpoint, change)
    }

    private func open(_ names: ClosedRange<Int>) async throws {
        for number in names { try await client.send(.opened("\(number)"), of: Vault.self) }
    }

    @Test func theModelAfterAnyKeptEventIsComputedWhileEventsComeIn() async throws {
        let running = run { $0.keepsHistory = true }
        try await open(1...60)
        let sending = Task { try await open(61...120) }
        for sequence in [UInt64(0), 1, 30, 60] {
            let model = try await client.model(of: Vault.self, at: sequence)
            #expect(model.opened == (0..<sequence).map { "\($0 + 1)" })
            #expect(try await client.model(of: .main, at: sequence).version.sequence == sequence)
        }
        try await sending.value
        let error = await #expect(throws: FleetClientError.self) { try await client.model(of: Vault.self, at: 121) }
        #expect(error?.code == .refused)
        #expect(error?.message == "The newest event of loop main is 120, so there is none 121 yet.")
        let shop = try #require(LoopID("shop"))
        let missing = await #expect(throws: FleetClientError.self) { try await client.model(of: shop, at: 1) }
        #expect(missing?.code == .notFound)
        try await running.stop()
    }

    @Test func aHistoryHasTheModelAfterEachOfItsEvents() async throws {
        let running = run { $0.keepsHistory = true }
        try await open(1...300)
        var (after, found): (HistoryPlace?, [UInt64: [String]]) = (nil, [:])
        while true {
            let page = try await client.history(after: after, models: true)
            for entry in page.entries {
                #expect(found[entry.place.sequence] == nil)
                found[entry.place.sequence] = try vault(entry)
            }
            guard page.more else { break }
            after = page.entries.last?.place
        }
        #expect(found.count == 301)
        for (sequence, opened) in found { #expect(opened == (0..<sequence).map { "\($0 + 1)" }) }
        let one = try await client.history(from: 17, to: 17, models: true)
        #expect(one.first == 0 && !one.more)
        #expect(try one.entries.map(vault) == [(1...17).map(String.init)])
        #expect(try await client.history(from: 17, to: 17).entries.map(\.after) == [nil])
        let people = FleetClient(connect: client.endpoint, isForPeople: true)
        let masked = try await people.history(from: 2, to: 2, models: true)
        #expect(masked.entries.first?.after?.model?.json == #"{"opened":["***","***"]}"#)
        let shop = try #require(LoopID("shop"))
        let missing = await #expect(throws: FleetClientError.self) { try await client.history(of: shop, models: true) }
        #expect(missing?.code == .notFound)
        await people.close()
        try await running.stop()
    }

    /// The model after an event, as its program reads it.
    private func vault(_ entry: HistoryEntry) throws -> [String] {
        let model = try #require(entry.after?.model)
        return try JSONDecoder().decode(Vault.Model.self, from: Data(model.bytes)).opened
    }

    @Test func aPageOfLargeModelsEndsBeforeItIsTooLarge() async throws {
        let running = run { $0.keepsHistory = true }
        try await client.send(.opened(String(repeating: "x", count: 2 << 20)), of: Vault.self)
        for number in 1...5 { try await client.send(.ring("\(number)"), of: Vault.self) }
        var (after, pages): (HistoryPlace?, [[UInt64]]) = (nil, [])
        while true {
            let page = try await client.history(after: after, models: true)
            for entry in page.entries { #expect(try vault(entry).count == min(1, Int(entry.place.sequence))) }
            pages.append(page.entries.map(\.place.sequence))
            guard page.more else { break }
            after = page.entries.last?.place
        }
        #expect(pages == [[0, 1], [2, 3], [4, 5], [6]])
        try await running.stop()
    }

    @Test func aHistoryTellsOfWhichEventsTheModelIsNotKnown() async throws {
        for start in [1, 11, 21] {
            let running = run()
            try await open(start...start + 9)
            try await running.stop()
        }
        var running = run()
        let page = try await client.history(models: true)
        let events = page.entries.filter { $0.place.part == 0 }
        #expect(events.map(\.place.sequence) == Array(10...30))
        for event in events {
            if event.place.sequence < 20 {
                let reason = event.after?.reason
                #expect(reason?.hasPrefix("The history of loop main before event 20 is not kept.") == true)
                #expect(event.after?.model == nil)
            } else {
                #expect(try vault(event).count == Int(event.place.sequence))
            }
        }
        try await running.stop()
        running = run { $0.journal = .none }
        let error = await #expect(throws: FleetClientError.self) { try await client.history(models: true) }
        #expect(error?.message.hasPrefix("This coordinator keeps no journal on disk") == true)
        try await running.stop()
    }

    @Test func aJournalThatClientsHaveReadIsClosedWhole() async throws {
        let running = run()
        try await open(1...10)
        #expect(try await client.history(limit: 100).entries.count == 11)
        #expect(FileManager.default.fileExists(atPath: folder.file("journal-wal")))
        try await running.stop()
        #expect(!FileManager.default.fileExists(atPath: folder.file("journal-wal")))
    }

    @Test func aRefusalSaysFromWhichEventOnThePastIsKnown() async throws {
        for start in [1, 11, 21] {
            let running = run()
            try await open(start...start + 9)
            try await running.stop()
        }
        let running = run()
        try await open(31...40)
        #expect(try await client.model(of: Vault.self, at: 35).opened.count == 35)
        let error = await #expect(throws: FleetClientError.self) { try await client.model(of: Vault.self, at: 1) }
        #expect(error?.message.hasPrefix("The history of loop main before event 20 is not kept.") == true)
        try await running.stop()
    }

    @Test func inAWindowModelsBeforeTheLastSnapshotsAreKnown() async throws {
        let window = KeptHistory.window(HistoryWindow(age: .seconds(3600)))
        for start in [1, 11, 21] {
            let running = run { $0.history = window }
            try await open(start...start + 9)
            try await running.stop()
        }
        var running = run { $0.history = window }
        for event in [UInt64(0), 1, 15, 30] {
            #expect(try await client.model(of: Vault.self, at: event).opened.count == Int(event))
        }
        #expect(try await client.history(limit: 100).first == 0)
        try await running.stop()
        // Beyond the window from now on; what goes does so with commits.
        running = run { $0.history = .window(HistoryWindow(bytes: 0)) }
        for number in 31...60 { try await open(number...number) }
        let error = await #expect(throws: FleetClientError.self) { try await client.model(of: Vault.self, at: 1) }
        #expect(
            error?.message.hasPrefix("The history of loop main before event 20 is not kept.") == true,
            "\(error?.message ?? "")")
        #expect(try await client.model(of: Vault.self, at: 25).opened.count == 25)
        try await running.stop()
    }

    @Test func withoutAJournalOnlyTheCurrentModelIsKnown() async throws {
        let running = run { $0.journal = .none }
        try await open(1...3)
        let error = await #expect(throws: FleetClientError.self) { try await client.model(of: Vault.self, at: 1) }
        #expect(error?.message.hasPrefix("This coordinator keeps no journal on disk") == true)
        try await running.stop()
    }

    @Test func peopleSeeMaskedModelsEventsAndEffectsAndProgramsRealOnes() async throws {
        let running = run { $0.keepsHistory = true }
        try await open(1...1)
        try await client.send(.ring("door"), of: Vault.self)
        let people = FleetClient(connect: client.endpoint, isForPeople: true)
        let effect = try #require(EffectID("main/2/0"))
        for at in [UInt64?.none, 1] {
            let model = try await people.model(of: .main, at: at)
            #expect(model.isMasked && model.payload.json == #"{"opened":["***"]}"#)
            #expect(try await client.model(of: Vault.self, at: at).opened == ["1"])
        }
        for try await model in people.models(of: .main) {
            #expect(model.isMasked)
            break
        }
        let events = try await people.history().entries.compactMap { $0.event?.payload?.json }
        #expect(events == [#"{"opened":{"_0":"***"}}"#, #"{"ring":{"_0":"***"}}"#])
        let asked = try await people.history().entries.flatMap(\.effects).compactMap { $0.effect.payload?.json }
        #expect(asked == [#"{"ring":{"_0":"***"}}"#])
        #expect(try await people.effect(effect).payload.json == #"{"ring":{"_0":"***"}}"#)
        #expect(try await client.effect(effect).payload.json == #"{"ring":{"_0":"door"}}"#)
        // A program must not take a masked model for a real one.
        let error = await #expect(throws: FleetClientError.self) { try await people.model(of: Vault.self) }
        #expect(error?.code == .forbidden)
        await people.close()
        try await running.stop()
    }

    @Test func anAnswerIsForItsSenderAndMaskedForOthers() async throws {
        let running = run { $0.keepsHistory = true }
        let people = FleetClient(connect: client.endpoint, isForPeople: true)
        let sent = try await people.send(.ask("4711"), of: Vault.self, key: "k")
        #expect(sent.answer?.json == #""4711""#)
        #expect(try await client.send(.ask("4711"), of: Vault.self, key: "k").answer?.json == #""4711""#)
        let asked = try await people.history().entries.flatMap(\.effects).compactMap { $0.effect.payload?.json }
        #expect(asked == [#"{"tell":{"_0":"***"}}"#])
        await people.close()
        try await running.stop()
    }

    @Test func theSchemaIsThatOfTheProgram() async throws {
        let running = run()
        let schema = try await client.schema()
        #expect(schema.hasPrefix(##"{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Vault","##))
        for name in ["Event", "Effect", "Model"] { #expect(schema.contains("\"\(name)\":{")) }
        #expect(try await client.schema() == schema)
        try await running.stop()
    }
}

/// A program whose contents people must not see.
private enum Vault: InPlaceLoopProgram, RedactingProgram {
    struct Model: Codable, Sendable { var opened: [String] = [] }
    enum Event: Codable, Sendable {
        case opened(String)
        case ring(String)
        case ask(String)
    }
    enum Effect: Codable, Sendable {
        case ring(String)
        case tell(String)
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        switch event {
        case .opened(let name): model.opened.append(name)
        case .ring(let name): return .next(effects: [.ring(name)])
        case .ask(let name): return .next(effects: [.tell(name)])
        }
        return .next()
    }

    static func redact(_ model: Model) -> Model { Model(opened: model.opened.map { _ in "***" }) }

    static func redact(_ event: Event) -> Event {
        switch event {
        case .opened: .opened("***")
        case .ring: .ring("***")
        case .ask: .ask("***")
        }
    }

    static func redact(_ effect: Effect) -> Effect {
        if case .tell = effect { .tell("***") } else { .ring("***") }
    }
}
