import FleetTestSupport
import Foundation
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

/// Loops of several kinds: how many of each there may be, and lists of one kind.
@Suite(.patient)
struct KindTests {
    private let folder: TestFolder
    private let client: FleetClient

    init() throws {
        folder = try TestFolder()
        client = FleetClient(connect: "ipc://" + folder.file("clients"), timeout: .seconds(3600))
    }

    private func run(idleAfter: Duration? = nil) -> RunningPrograms {
        let programs = Programs {
            Errand.self
            Note.self
            Tally.self
        }
        return RunningPrograms(folder.file("journal"), programs, clients: client.endpoint) { $0.idleAfter = idleAfter }
    }

    private func refusal(of event: some Codable & Sendable, for name: String) async throws -> String? {
        let loop = try #require(LoopID(name))
        let error = await #expect(throws: FleetClientError.self) { try await client.send(event, loop: loop) }
        #expect(error?.code == .refused)
        return error?.message
    }

    private func idle() throws -> UInt64 {
        let inspector = try JournalInspector(path: folder.file("journal"))
        defer { inspector.close() }
        return try inspector.idleTotals().loops
    }

    @Test func aProgramOfOneLoopHasNoOther() async throws {
        let running = run()
        try await client.send(.counted, to: Address<Tally>.only)
        let refusal = try await refusal(of: Tally.Event.counted, for: "tally/x")
        #expect(refusal?.hasPrefix("The program of the kind tally has one loop, tally (maximumLoops)") == true)
        try await client.send(.counted, to: Address<Tally>.only)
        #expect(try await client.loops().loops.map(\.loop.name) == ["tally"])
        // A loop's event for it is not delivered, and its sender is told.
        try await client.send(.tell("y"), to: Address<Errand>("1"))
        for await model in running.loop[Address<Errand>("1")].models where model.failures == 1 { break }
        try await running.stop()
    }

    @Test func aKindHasAsManyLoopsAsItsProgramSaysIdleAndEndedOnesIncluded() async throws {
        var running = run(idleAfter: .milliseconds(10))
        for name in ["a", "b"] { try await client.send(.written, to: Address<Note>(name)) }
        try await client.send(.torn, to: Address<Note>("b"))
        // Others do not count.
        for name in ["1", "2", "3"] { try await client.send(.tell(""), to: Address<Errand>(name)) }
        try await client.send(.written, to: Address<Note>.only)
        let words = "The coordinator has as many loops of the kind note as its program's limit, 3 (maximumLoops)"
        #expect(try await refusal(of: Note.Event.written, for: "note/c")?.hasPrefix(words) == true)
        try await eventually("all others are idle") { try idle() == 6 }
        #expect(try await refusal(of: Note.Event.written, for: "note/c")?.hasPrefix(words) == true)
        // Counted at the start, too; one that is read is counted once.
        try await running.stop()
        running = run(idleAfter: .milliseconds(10))
        #expect(try await refusal(of: Note.Event.written, for: "note/c")?.hasPrefix(words) == true)
        try await client.send(.written, to: Address<Note>("a"))
        #expect(try await refusal(of: Note.Event.written, for: "note/c")?.hasPrefix(words) == true)
        try await client.send(.tell(""), to: Address<Errand>("4"))
        try await running.stop()
    }

    @Test func deadLettersOfOneKindAreListed() async throws {
        let running = run()
        let names = ["errand", "errand/1", "errand/2"]
        for name in names {
            let loop = try #require(LoopID(name))
            for _ in 1...2 { try await client.send(Errand.Event.run, loop: loop) }
        }
        try await client.send(.written, to: Address<Note>("x"))
        try await client.send(.sent, to: Address<Note>("x"))
        try await eventually("all are dead") { try await client.status().letters == 7 }
        func listed(_ prefix: String, limit: Int = 1000) async throws -> [String] {
            var (found, more) = ([EffectID](), true)
            while more {
                let page = try await client.deadLetters(prefix: prefix, after: found.last, limit: limit)
                found += page.elements.map(\.id)
                more = page.more
            }
            return found.map(\.loop.name)
        }
        for limit in [1, 2, 1000] {
            #expect(try await listed("errand/", limit: limit) == ["errand/1", "errand/1", "errand/2", "errand/2"])
            #expect(try await listed("errand", limit: limit) == names.flatMap { [$0, $0] })
            #expect(try await listed("note/", limit: limit) == ["note/x"])
            #expect(try await listed("", limit: limit).count == 7)
        }
        for none in ["tally", "errand/3", "z", String(repeating: "n", count: 200)] {
            #expect(try await listed(none) == [])
        }
        let one = try await client.deadLetters(loop: LoopID("errand/1"), prefix: "errand/").elements
        #expect(one.map(\.id.loop.name) == ["errand/1", "errand/1"])
        #expect(try await client.deadLetters(loop: LoopID("errand/1"), prefix: "note/").elements.isEmpty)
        // Behind a place before and one behind all of them.
        let first = try #require(try await client.deadLetters().elements.first)
        #expect(try await client.deadLetters(prefix: "note/", after: first.id).elements.count == 1)
        let last = try #require(try await client.deadLetters().elements.last)
        #expect(try await client.deadLetters(prefix: "errand/", after: last.id).elements.isEmpty)
        try await running.stop()
    }

    @Test func heldLoopsOfOneKindAreListed() async throws {
        let running = run()
        for name in ["1", "2"] {
            await #expect(throws: FleetClientError.self) {
                try await client.send(.breaks, to: Address<Errand>(name))
            }
        }
        await #expect(throws: FleetClientError.self) { try await client.send(.breaks, to: Address<Note>("x")) }
        #expect(try await client.quarantine().elements.count == 3)
        #expect(try await client.quarantine(prefix: "errand/").elements.map(\.loop.name) == ["errand/1", "errand/2"])
        #expect(
            try await client.quarantine(prefix: "errand/", after: LoopID("errand/1")).elements.map(\.loop.name)
                == ["errand/2"])
        let page = try await client.quarantine(prefix: "errand/", limit: 1)
        #expect(page.elements.map(\.loop.name) == ["errand/1"] && page.more)
        #expect(try await client.quarantine(prefix: "note/").elements.map(\.loop.name) == ["note/x"])
        #expect(try await client.quarantine(prefix: "tally").elements.isEmpty)
        try await running.stop()
    }
}

/// Runs errands for which there is no worker, and tells other loops.
private enum Errand: LoopProgram, FleetProgram {
    struct Model: Codable, Sendable, Equatable { var failures = 0 }

    enum Event: Codable, Sendable { case run, tell(String), failed, breaks }

    enum Effect: Codable, Sendable { case run, tell(String), breaks }

    static let kind: LoopKind = "errand"

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        switch event {
        case .run: .dispatchEffects([.run])
        case .tell(let loop): .dispatchEffects([.tell(loop)])
        case .failed: .next(Model(failures: model.failures + 1))
        case .breaks: .dispatchEffects([.breaks])
        }
    }

    // Without a route for `breaks`, which holds the loop.
    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.run).toWorkers("nobody", policy: .quick) { _, _ in .failed }
        .routeCase(Effect.tell).toLoop { key in
            (Address<Tally>(key), .counted)
        } onFailure: { _, _ in
            .failed
        }
}

/// Three notes at most.
private enum Note: LoopProgram, FleetProgram {
    struct Model: Codable, Sendable, Equatable { var count = 0 }

    enum Event: Codable, Sendable { case written, torn, sent, lost, breaks }

    enum Effect: Codable, Sendable { case send, end, breaks }

    static let kind: LoopKind = "note"
    static var maximumLoops: Int? { 3 }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        switch event {
        case .written, .lost: .next(Model(count: model.count + 1))
        case .torn: .dispatchEffects([.end])
        case .sent: .dispatchEffects([.send])
        case .breaks: .dispatchEffects([.breaks])
        }
    }

    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.send).toWorkers("nobody", policy: .quick) { _, _ in .lost }
        .routeCase(Effect.end).endsLoop()
}

/// One loop that counts.
private enum Tally: LoopProgram, FleetProgram {
    struct Model: Codable, Sendable, Equatable { var count = 0 }

    enum Event: Codable, Sendable { case counted }

    typealias Effect = Never

    static let kind: LoopKind = "tally"
    static var maximumLoops: Int? { 1 }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> { .next(Model(count: model.count + 1)) }
}

extension EffectPolicy {
    /// Gives up soon, because there is no worker.
    fileprivate static let quick = EffectPolicy(timeouts: EffectTimeouts(scheduleToStart: .milliseconds(10)))
}
