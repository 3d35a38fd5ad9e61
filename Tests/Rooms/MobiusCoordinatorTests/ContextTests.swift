import FleetTestSupport
import Foundation
import MobiusCoordinator
import MobiusCore
import MobiusWire
import TestTraits
import Testing

/// What `update` knows of its loop and event is in the journal, so that it is the same after each restart.
@Suite(.patient)
struct ContextTests {
    private let folder: TestFolder
    private let settings: CoordinatorSettings

    init() throws {
        folder = try TestFolder()
        settings = CoordinatorSettings(name: "diary", journal: .file(folder.file("journal")))
    }

    private func run(_ change: (inout CoordinatorSettings) -> Void = { _ in }) -> Running<Diary> {
        Running(folder.file("journal"), name: "diary", routes: Diary.routes, change)
    }

    private func replay(_ loop: LoopID) throws -> [ReplayedEvent<Diary>] {
        var events: [ReplayedEvent<Diary>] = []
        try Coordinator<Diary>.replay(loop, settings, routes: Diary.routes) { events.append($0) }
        return events
    }

    @Test func eachEventKnowsItsLoopItsNumberAndItsTime() async throws {
        let today = try #require(LoopID("day/today"))
        let begin = LoopContext(time: Date()).milliseconds
        var models: [Diary.Model] = []
        // Without snapshots between, with one, with two: each recovery starts from something else.
        for run in 0..<3 {
            let running = self.run { $0.keepsHistory = true }
            let loop = running.coordinator.loop.loop(today)
            for _ in 0..<3 { try await loop.send(.happened) }
            models.append(try #require(await running.model(of: today)))
            // From a timer, and from another loop.
            if run == 1 {
                try await running.coordinator.loop.send(.tell(today.name))
                try await loop.send(.wait)
                for await model in loop.models where model.count == 10 { break }
            }
            try await running.stop()
        }
        let last = try #require(models.last)
        #expect(last.map(\.number) == Array(0...UInt64(last.count - 1)) && last.count == 13)
        #expect(Set(last.map(\.loop)) == [today.name])
        #expect(last.compactMap(\.sender) == ["main"])
        #expect(last.allSatisfy { $0.time >= begin && $0.time <= LoopContext(time: Date()).milliseconds })
        #expect(Set(last.map(\.id)).count == last.count && Set(last.map(\.roll)).count == last.count)
        #expect(models.allSatisfy { last.starts(with: $0) })
        let replayed = try replay(today)
        #expect(replayed.map(\.model.count) == Array(1...13))
        #expect(replayed.last?.model == last)
        let summary = try Coordinator<Diary>.verify(settings, routes: Diary.routes)
        #expect("\(summary)".contains("2 loops"), "\(summary)")
    }

    /// Its numbers go on, and so no identifier comes twice.
    @Test func aLoopThatBeginsAgainGetsNewIdentifiers() async throws {
        let day = try #require(LoopID("day/1"))
        let running = run { $0.keepsHistory = true }
        let loop = running.coordinator.loop.loop(day)
        try await loop.send(.happened)
        let first = try #require(await running.model(of: day))
        try await loop.send(.ended)
        try await loop.send(.happened)
        let second = try #require(await running.model(of: day))
        try await running.stop()
        #expect(first.map(\.number) == [0, 1] && second.map(\.number) == [3, 4])
        #expect(Set((first + second).map(\.id)).count == 4)
        let restarted = run { $0.keepsHistory = true }
        #expect(await restarted.model(of: day) == second)
        try await restarted.stop()
        #expect(try replay(day).last?.model == second)
    }
}

/// It notes the context of each event.
private enum Diary: ContextLoopProgram {
    struct Entry: Codable, Sendable, Equatable {
        let loop: String
        let number: UInt64
        let time: Int64
        let id: String
        let roll: UInt64
        let sender: String?

        init(_ context: LoopContext) {
            (loop, number, time, id) = (context.loop, context.number, context.milliseconds, context.id())
            sender = context.sender
            var random = context.random
            roll = .random(in: 0 ... .max, using: &random)
        }
    }

    typealias Model = [Entry]

    enum Event: Codable, Sendable {
        case happened, wait, ended
        case tell(String)
    }

    enum Effect: Codable, Sendable {
        case tell(String)
        case wait
        case end
    }

    static func initiate(_ context: LoopContext) -> First<Model, Effect> { First(model: [Entry(context)]) }

    static func update(_ model: Model, _ event: Event, _ context: LoopContext) -> Next<Model, Effect> {
        let model = model + [Entry(context)]
        switch event {
        case .happened: return .next(model)
        case .tell(let loop): return .next(model, effects: [.tell(loop)])
        case .wait: return .next(model, effects: [.wait])
        case .ended: return .next(model, effects: [.end])
        }
    }

    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.tell).toLoop { loop in (loop, .happened) }
        .routeCase(Effect.wait).toTimer(.after(.milliseconds(1))) { .happened }
        .routeCase(Effect.end).endsLoop(.mayBeginAgain)
}
