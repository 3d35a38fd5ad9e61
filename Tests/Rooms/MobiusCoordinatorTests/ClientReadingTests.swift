import FleetTestSupport
import Foundation
import MobiusClient
import MobiusCodec
import MobiusCoordinator
import MobiusCore
import MobiusProgram
import MobiusWire
import TestTraits
import Testing

/// What clients read of the loops and their journal, over a real socket.
@Suite(.patient)
struct ClientReadingTests {
    private let folder: TestFolder
    private let client: FleetClient

    init() throws {
        folder = try TestFolder()
        client = FleetClient(connect: "ipc://" + folder.file("clients"), timeout: .seconds(3600))
    }

    private func run<Program: LoopProgram>(
        _ program: Program.Type, _ change: (inout CoordinatorSettings) -> Void = { _ in }
    ) -> Running<Program> where Program.Event == Tally.Event, Program.Effect == Tally.Effect {
        Running(
            folder.file("journal"),
            routes: EffectRouter { effect in
                switch effect {
                case .errand: .toWorkers("nobody") { _ in .failed }
                }
            }, clients: client.endpoint, change)
    }

    @Test func aModelIsNeverOlderThanWhatWasConfirmed() async throws {
        let running = run(Tally.self)
        for number in 1...50 {
            try await client.send(.count(1), of: Tally.self)
            #expect(try await client.model(of: Tally.self).count == number)
        }
        let model = try await client.model(of: .main)
        #expect(model.version.sequence == 50 && model.payload.kind.contentType == PayloadKind.jsonContentType)
        let status = try await client.status()
        #expect(model.version.journal == status.journal)
        try await running.stop()
    }

    @Test func programsAreReadAndSentToInTheirOwnCoding() async throws {
        let running = Running<CompactTally>(
            folder.file("journal"), routes: EffectRouter { _ in .toWorkers("nobody") { _ in .counted } },
            clients: client.endpoint)
        try await client.send(.counted, of: CompactTally.self)
        #expect(try await client.model(of: .main).payload.kind.contentType == PayloadKind.fastContentType)
        #expect(try await client.model(of: CompactTally.self).count == 1)
        let history = try await client.history()
        #expect(history.entries.last?.event?.kind.contentType == PayloadKind.fastContentType)
        let error = await #expect(throws: FleetClientError.self) { try await client.model(of: Other.self) }
        #expect(error?.code == .unreadable)
        try await running.stop()
    }

    @Test func aWatcherGetsTheLastModelHoweverSlowItIs() async throws {
        let running = run(Tally.self)
        var models = client.models(of: Tally.self).makeAsyncIterator()
        let first = try await models.next()
        #expect(first?.count == 0)
        let last = 500
        try await withThrowingTaskGroup(of: Void.self) { [client] group in
            for _ in 1...last { group.addTask { _ = try await client.send(.count(1), of: Tally.self) } }
            try await group.waitForAll()
        }
        var counts: [Int] = []
        while counts.last != last, let model = try await models.next() { counts.append(model.count) }
        #expect(counts == counts.sorted() && Set(counts).count == counts.count)
        #expect(counts.count < last)  // those in between are left out
        try await running.stop()
    }

    @Test func manyWatchersTakeNoPlaceFromSenders() async throws {
        let running = run(Tally.self)
        let seen = Journey<Int>()
        let watching = Task { [client] in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...600 {
                    group.addTask {
                        for try await model in client.models(of: Tally.self) {
                            seen.add(model.count)
                            if model.count == 1 { return }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        try await seen.wait(for: "all to watch") { $0.count(where: { $0 == 0 }) == 600 }
        try await client.send(.count(1), of: Tally.self)
        try await watching.value
        #expect(seen.elements.count == 1200)
        try await running.stop()
    }

    @Test func aWatchEndsWithItsTaskAndWithItsClient() async throws {
        let running = run(Tally.self)
        let begun = Journey<Bool>()
        let task = Task { [client] in
            for try await _ in client.models(of: Tally.self) { begun.add(true) }
        }
        try await begun.wait(for: "a model") { !$0.isEmpty }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let other = FleetClient(connect: client.endpoint)
        let models = Task {
            var count = 0
            for try await _ in other.models(of: Tally.self) {
                count += 1
                begun.add(true)
            }
            return count
        }
        try await begun.wait(for: "another model") { $0.count == 2 }
        await other.close()
        #expect(try await models.value == 1)
        try await running.stop()
    }

    @Test func aLoopThatIsNotThereHasNoModelAndNoHistory() async throws {
        let running = run(Tally.self)
        let shop = try #require(LoopID("shop"))
        let requests: [@Sendable (FleetClient) async throws -> Void] = [
            { _ = try await $0.model(of: shop) }, { _ = try await $0.history(of: shop) },
            { for try await _ in $0.models(of: shop) {} },
        ]
        for request in requests {
            let error = await #expect(throws: FleetClientError.self) { try await request(client) }
            #expect(error?.code == .notFound)
        }
        try await running.stop()
    }

    @Test func manyLoopsAreListedInPages() async throws {
        var running = run(Tally.self) { $0.clientsMayStartLoops = true }
        let names = (0..<2500).map { "shop/\(10_000 + $0)" }
        try await withThrowingTaskGroup(of: Void.self) { [client] group in
            for name in names {
                group.addTask {
                    _ = try await client.send(
                        .count(1), of: Tally.self, loop: LoopID(name) ?? .main, timeout: Patience.limit)
                }
            }
            try await group.waitForAll()
        }
        func list(withTimes: Bool) async throws -> [String] {
            var (found, after): ([String], LoopID?) = ([], nil)
            repeat {
                let page = try await client.loops(prefix: "shop/", after: after, timeout: Patience.limit)
                #expect(page.loops.count <= 1000)
                #expect(
                    page.loops.allSatisfy { $0.sequence == 1 && $0.state == .idle && ($0.time != nil || !withTimes) })
                found += page.loops.map(\.loop.name)
                after = page.next
            } while after != nil
            return found
        }
        #expect(try await list(withTimes: true) == names)
        #expect(try await client.loops(limit: 1).loops.map(\.loop) == [.main])
        try await running.stop()
        // A snapshot alone does not tell when the last event was.
        running = run(Tally.self)
        #expect(try await list(withTimes: false) == names)
        try await running.stop()
    }

    @Test func historiesComeInPagesAndSayWhereTheyBegin() async throws {
        let running = run(Tally.self) { $0.keepsHistory = true }
        for number in 1...700 {
            try await client.send(.count(1), of: Tally.self, key: "\(number)")
        }
        var (entries, pages): ([HistoryEntry], Int) = ([], 0)
        while true {
            let page = try await client.history(from: 101, after: entries.last?.place)
            #expect(page.first == 0)
            entries += page.entries
            pages += 1
            if !page.more { break }
        }
        #expect(entries.compactMap(\.key) == (101...700).map { "\($0)" })
        #expect(entries.allSatisfy { $0.what == .outside && $0.time != nil && $0.event?.payload != nil })
        #expect(pages > 1)
        #expect(try await client.history(from: 5, to: 6).entries.map(\.place.sequence) == [5, 6])
        try await running.stop()
    }

    @Test func aLargePayloadIsLeftOutOfAHistory() async throws {
        let running = run(Tally.self)
        let text = String(repeating: "x", count: 300_000)
        try await client.send(.errand(text), of: Tally.self)
        try await client.send(.count(1), of: Tally.self)
        let page = try await client.history()
        let large = try #require(page.entries.first { $0.place.sequence == 1 })
        #expect(large.event?.payload == nil && (large.event?.size ?? 0) > 300_000)
        #expect(large.effects.map(\.id.index) == [0] && large.effects[0].effect.payload == nil)
        // The large one may fill its page.
        let rest = try await client.history(after: large.place)
        #expect(!rest.more && rest.entries.last?.event?.payload != nil)
        try await running.stop()
    }

    @Test func aCoordinatorWithoutAJournalHasModelsAndNoHistory() async throws {
        let running = run(Tally.self) { $0.journal = .none }
        try await client.send(.count(2), of: Tally.self)
        #expect(try await client.model(of: Tally.self).count == 2)
        #expect(try await client.history() == HistoryPage([], first: nil, more: false))
        #expect(try await client.loops().loops.map(\.loop) == [.main])
        try await running.stop()
    }
}

/// Counts, and sends somebody on errands.
private enum Tally: InPlaceLoopProgram {
    struct Model: Codable, Sendable { var count = 0 }
    enum Event: Codable, Sendable {
        case count(Int)
        case errand(String)
        case failed
    }
    enum Effect: Codable, Sendable { case errand(String) }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        switch event {
        case .count(let number): model.count += number
        case .errand(let words): return .next(effects: [.errand(words)])
        case .failed: break
        }
        return .next()
    }
}

/// Counts, in the form of `FastPayload`.
private enum CompactTally: InPlaceLoopProgram, CodedProgram {
    struct Model: Codable, FastPayload {
        var count = 0

        init() {}
        func encode(to writer: inout PayloadWriter) { writer.write(count, at: 1) }
        init(from reader: inout PayloadReader) throws { count = try reader.read(at: 1) }
    }

    enum Event: Int, Codable, FastPayload { case counted }
    enum Effect: Int, Codable, FastPayload { case none }

    static var coding: ProgramCodec<CompactTally> { .fast }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        model.count += 1
        return .next()
    }
}

/// Another program, which cannot read the models of `Tally`.
private enum Other: LoopProgram {
    struct Model: Codable, Sendable { var name: String }
    enum Event: Codable, Sendable { case none }
    enum Effect: Codable, Sendable { case none }

    static func initiate() -> First<Model, Effect> { First(model: Model(name: "")) }
    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> { .noChange }
}
