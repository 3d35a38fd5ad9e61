import FleetTestSupport
import Foundation
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

/// What is wrong with one loop, or with one record, ends nothing else.
@Suite(.patient)
struct OneBadLoopTests {
    private let folder: TestFolder
    private let client: FleetClient

    init() throws {
        folder = try TestFolder()
        client = FleetClient(connect: "ipc://" + folder.file("clients"), timeout: .seconds(3600))
    }

    private func run() -> Running<Ledger> {
        Running(
            folder.file("journal"),
            routes: EffectRouter<Ledger.Effect, Ledger.Event>()
                .routeCase(Ledger.Effect.book)
                .toWorkers(
                    "nobody", policy: EffectPolicy(timeouts: EffectTimeouts(scheduleToStart: .milliseconds(1)))
                ) { _, _ in .failed },
            clients: client.endpoint)
    }

    @Test func aModelThatCannotBeWrittenHasNoSnapshotAndGoesOn() async throws {
        for round in 1...2 {
            let running = run()
            if round == 1 {
                try await client.send(Ledger.Event.divide(0))  // none at all: JSON has no such number
                try await client.send(Ledger.Event.count)
            }
            let model = await running.model()
            #expect(model?.ratio.isNaN == true && model?.count == 1)
            try await client.send(Ledger.Event.divide(0))
            try await running.stop()
            let told = running.logged.elements.filter { $0.contains("a loop's snapshot failed") }
            #expect(told.count == 1 && told[0].hasPrefix("error"))
        }
    }

    @Test func aDamagedDeadLetterIsAnErrorForTheClient() async throws {
        let first = run()
        for words in ["one", "two"] { try await client.send(Ledger.Event.book(words)) }
        for await model in first.coordinator.loop.models where model.count == 2 { break }
        let letters = try await client.deadLetters().elements
        try await first.stop()
        try damage(letters[0])
        let second = run()
        let listing = await #expect(throws: FleetClientError.self) { try await client.deadLetters() }
        #expect(listing?.message.contains("is not what was written") == true)
        for _ in 1...2 {
            let showing = await #expect(throws: FleetClientError.self) { try await client.deadLetter(letters[0].id) }
            #expect(showing?.code == .refused)
        }
        await #expect(throws: FleetClientError.self) { try await client.retryDeadLetter(letters[0].id) }
        #expect(try await client.send(Ledger.Event.count).outcome == .done)
        #expect(try await client.deadLetter(letters[1].id).letter.id == letters[1].id)
        #expect(second.logged.elements.contains { $0.contains("a client request could not be answered") })
        try await second.stop()
    }

    /// Changes one byte of a dead letter in the journal's file, and nothing else: its reason stands in an event, too.
    private func damage(_ letter: DeadLetterSummary) throws {
        let file = URL(filePath: folder.file("journal"))
        let whole = try Data(contentsOf: file)
        var from = whole.startIndex
        while let place = whole[from...].firstRange(of: Data(letter.reason.utf8)) {
            from = place.upperBound
            var bytes = whole
            bytes[place.lowerBound] ^= 1
            // Tried on a copy: to open a journal changes it, and what is beside it remembers that.
            let copy = folder.file("copy \(place.lowerBound)")
            try bytes.write(to: URL(filePath: copy))
            guard let journal = try? SQLiteJournal(path: copy, application: "shop", build: "1") else { continue }
            defer { journal.close() }
            do { try journal.readTail(of: .main) { _ in } } catch { continue }
            do { _ = try journal.deadLetter(letter.id) } catch {
                let handle = try FileHandle(forWritingTo: file)
                try handle.seek(toOffset: UInt64(place.lowerBound))
                try handle.write(contentsOf: bytes[place.lowerBound..<place.lowerBound + 1])
                return try handle.close()
            }
        }
        Issue.record("The letter is nowhere in the file.")
    }

    @Test func anEffectWithoutARouteHoldsItsLoopAndTellsWhoSentIt() async throws {
        let running = run()
        let bad = try #require(LoopID("bad"))
        try await client.send(Ledger.Event.count, loop: bad)
        let error = await #expect(throws: FleetClientError.self) {
            try await client.send(Ledger.Event.lose, loop: bad, key: "odd")
        }
        #expect(error?.message.contains("mobius quarantine show bad") == true)
        let held = try await client.quarantine().elements
        #expect(held.map(\.loop) == [bad] && held.map(\.sequence) == [2])
        #expect(held.map(\.source) == ["from outside, key odd"])
        #expect(try await client.send(Ledger.Event.count).outcome == .done)
        let release = await #expect(throws: FleetClientError.self) { try await client.release(bad) }
        #expect(release?.message.contains("Restart the coordinator") == true)
        try await running.stop()
        let next = run()
        #expect(try await client.quarantine().elements.map(\.crashes) == [2])
        #expect(try await client.release(bad, drop: true) == .done)
        #expect(try await client.send(Ledger.Event.lose, loop: bad, key: "odd").outcome == .dropped)
        #expect(await next.model(of: bad)?.count == 1)
        try await next.stop()
    }

    /// What a list costs does not depend on how large the letters are.
    @Test func aListReadsNoLargeEffects() async throws {
        let first = run()
        for size in Array(repeating: 100_000, count: 14) + [10] {
            try await client.send(Ledger.Event.book(String(repeating: "x", count: size)))
        }
        for await model in first.coordinator.loop.models where model.count == 15 { break }
        let page = try await client.deadLetters(limit: 13)
        #expect(page.elements.count == 13 && page.more)
        #expect(page.elements.allSatisfy { $0.size > 100_000 && $0.pool == nil })
        let rest = try await client.deadLetters(after: page.elements[12].id)
        #expect(rest.elements.map(\.pool) == [nil, "nobody"] && !rest.more)
        try await first.stop()
        let journal = try SQLiteJournal(path: folder.file("journal"), application: "shop", build: "1")
        defer { journal.close() }
        let heads = try journal.deadLetterHeads(of: nil, after: nil, limit: 15)
        #expect(heads.count == 11, "one mebibyte of effects, and no more")
        #expect(heads.allSatisfy { $0.letter.effect.bytes.isEmpty && $0.size > 100_000 && !$0.isWhole })
        let last = try journal.deadLetterHeads(of: .main, after: page.elements[12].id, limit: 15)
        #expect(last.map(\.isWhole) == [false, true])
    }

    @Test func aLoopThatMayNotBeginNowIsNotJournaled() async throws {
        var settings = CoordinatorSettings(
            name: "shop", bind: "tcp://127.0.0.1:*", journal: .file(folder.file("journal")), timing: .quick)
        settings.clientBind = client.endpoint
        settings.maximumIntake = 0
        let coordinator = Coordinator<Ledger>(settings, routes: EffectRouter(), logger: .quiet)
        let running = Task { try await coordinator.run() }
        let sending = Task { try await client.send(Ledger.Event.count, loop: try #require(LoopID("new"))) }
        let error = await #expect(throws: CoordinatorError.self) {
            try await coordinator.loop.loop("other").send(.count, key: "k")
        }
        #expect(error?.code == .busy)
        // The client's came before or after this, and is told busy until it gives up.
        for _ in 1...20 { #expect(try await client.status().loops.map(\.loop) == [.main]) }
        sending.cancel()
        _ = await sending.result
        coordinator.stop()
        try await running.value
    }
}

/// Counts, divides, and asks for effects that go wrong.
private enum Ledger: InPlaceLoopProgram {
    struct Model: Codable, Sendable {
        var count = 0
        var ratio = 0.0
    }

    enum Event: Codable, Sendable {
        case count
        case divide(Double)
        case book(String)
        case lose
        case failed
    }

    enum Effect: Codable, Sendable {
        case book(String)
        case lost
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        switch event {
        case .count, .failed: model.count += 1
        case .divide(let number): model.ratio = number / number
        case .book(let words): return .next(effects: [.book(words)])
        case .lose:
            model.count += 100
            return .next(effects: [.lost])
        }
        return .next()
    }
}
