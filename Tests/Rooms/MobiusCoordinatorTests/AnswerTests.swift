import FleetTestSupport
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusJournal
import MobiusProgram
import MobiusWire
import TestTraits
import Testing

/// What senders are told, in this process and over a real socket, with a journal on a real disk.
@Suite(.patient)
struct AnswerTests {
    private let folder: TestFolder
    private let client: FleetClient

    init() throws {
        folder = try TestFolder()
        client = FleetClient(connect: "ipc://" + folder.file("clients"), timeout: .seconds(3600))
    }

    private func run() -> Running<Hall> {
        Running(folder.file("journal"), routes: Hall.routes, clients: client.endpoint)
    }

    @Test func aSenderIsAnsweredAndToldTheSameAgain() async throws {
        var running = run()
        let receipt = try await client.ask(.reserve(2), of: Hall.self, key: "a", for: Hall.Receipt.self)
        #expect(receipt == Hall.Receipt(seats: [1, 2]))
        let sent = try await client.send(Hall.Event.reserve(1), of: Hall.self, key: "b")
        #expect(sent.number == 2 && !sent.isRepeated)
        #expect(try sent.answer(as: Hall.Receipt.self) == Hall.Receipt(seats: [3]))
        for round in 1...2 {
            let again = try await client.send(Hall.Event.reserve(2), of: Hall.self, key: "a")
            #expect(again.number == 1 && again.isRepeated, "\(round)")
            #expect(try again.answer(as: Hall.Receipt.self) == receipt, "\(round)")
            try await running.stop()
            running = run()
        }
        #expect(try await client.status().pending == 0)
        // What needs no answer has a number only.
        let left = try await client.send(Hall.Event.left(seat: 3), of: Hall.self)
        #expect(left.number == 3 && left.answer == nil)
        try await running.stop()
        await client.close()
    }

    @Test func aRefusalIsToldWithItsReasonAgainAndAgain() async throws {
        var running = run()
        for round in 1...3 {
            let error = await #expect(throws: FleetClientError.self) {
                try await client.ask(.reserve(9), of: Hall.self, key: "many", for: Hall.Receipt.self)
            }
            #expect(error?.code == .refusedByProgram && error?.message == "4 seats are free", "\(round)")
            if round == 1 { try await client.send(Hall.Event.reserve(1), of: Hall.self, key: "one") }
            try await running.stop()
            running = run()
        }
        #expect(try await client.model(of: Hall.self).refusals == 1)
        try await running.stop()
        await client.close()
    }

    @Test func aRefusedEventBeginsNoLoop() async throws {
        var running = run()
        let hall = try #require(LoopID("hall"))
        for key in ["a", "a", "b"] {
            let error = await #expect(throws: FleetClientError.self) {
                try await client.ask(.reserve(9), of: Hall.self, loop: hall, key: key, for: Hall.Receipt.self)
            }
            #expect(error?.code == .refusedByProgram && error?.message == "4 seats are free")
        }
        let local = await #expect(throws: CoordinatorError.self) {
            try await running.coordinator.loop.loop(hall).send(.reserve(9))
        }
        #expect(local?.code == .refusedByProgram && local?.message == "4 seats are free")
        #expect(try await client.loops().loops.map(\.loop) == [.main])
        try await running.stop()
        running = run()
        #expect(try await client.loops().loops.map(\.loop) == [.main])
        // The first event that is not refused begins it, with nothing of the others.
        let receipt = try await client.ask(.reserve(2), of: Hall.self, loop: hall, key: "a", for: Hall.Receipt.self)
        #expect(receipt == Hall.Receipt(seats: [1, 2]))
        #expect(try await client.model(of: Hall.self, loop: hall).refusals == 0)
        // Of a loop that has ended and may begin again the same is true.
        try await client.send(Hall.Event.close, of: Hall.self, loop: hall)
        let ended = try await client.loops().loops
        for _ in 1...2 {
            let error = await #expect(throws: FleetClientError.self) {
                try await client.send(Hall.Event.reserve(9), of: Hall.self, loop: hall, key: "c")
            }
            #expect(error?.code == .refusedByProgram && error?.message == "4 seats are free")
        }
        #expect(try await client.loops().loops == ended && ended.first?.state == .ended)
        let again = try await client.ask(.reserve(1), of: Hall.self, loop: hall, key: "c", for: Hall.Receipt.self)
        #expect(again == Hall.Receipt(seats: [1]))
        try await running.stop()
        await client.close()
    }

    @Test func aSenderInTheProcessIsAnswered() async throws {
        let running = run()
        let loop = running.coordinator.loop
        let first = try await loop.send(.reserve(1), key: "a")
        let again = try await loop.send(.reserve(1), key: "a")
        #expect(first.number == 1 && again.number == 1 && !first.isRepeated && again.isRepeated)
        #expect(try first.answer(as: Hall.Receipt.self) == Hall.Receipt(seats: [1]))
        #expect(first.answer == again.answer)
        let error = await #expect(throws: CoordinatorError.self) { try await loop.send(.reserve(9)) }
        #expect(error?.code == .refusedByProgram && error?.message == "3 seats are free")
        try await running.stop()
        await client.close()
    }

    @Test func anEventWithoutAnAnswerAndAnotherTypeAreErrors() async throws {
        let running = run()
        let silent = await #expect(throws: FleetClientError.self) {
            try await client.ask(.left(seat: 1), of: Hall.self, for: Hall.Receipt.self)
        }
        #expect(silent?.code == .noAnswer)
        let strange = await #expect(throws: FleetClientError.self) {
            try await client.ask(.reserve(1), of: Hall.self, for: [String].self)
        }
        #expect(strange?.code == .unreadable)
        try await running.stop()
        await client.close()
    }

    @Test func twoAnswersToOneEventHoldTheLoop() async throws {
        let running = run()
        let error = await #expect(throws: FleetClientError.self) {
            try await client.send(Hall.Event.babble, of: Hall.self)
        }
        #expect(error?.code == .refused && error?.message.contains("held") == true)
        let held = try await client.quarantine().elements
        #expect(held.map(\.loop) == [.main])
        try await running.logged.wait { $0.contains { $0.contains("2 answers") } }
        try await running.stop()
        await client.close()
    }

    @Test func aModelIsWaitedForOverARestart() async throws {
        var running = run()
        try await client.send(Hall.Event.reserve(1), of: Hall.self)
        let client = client
        let waiting = Task { try await client.untilModel(of: Hall.self) { $0.free.count <= 1 } }
        try await running.stop()
        running = run()
        try await client.send(Hall.Event.reserve(2), of: Hall.self)
        #expect(try await waiting.value.free == [4])
        let late = await #expect(throws: FleetClientError.self) {
            try await client.untilModel(of: Hall.self, timeout: .milliseconds(50)) { $0.free.isEmpty }
        }
        #expect(late?.code == .timedOut)
        try await running.stop()
        await client.close()
    }

    @Test func oneConnectionServesThousandsOfCallsAtOnce() async throws {
        let running = run()
        let client = client
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...3000 {
                group.addTask {
                    try await client.ask(
                        .count, of: Hall.self, key: "\(number)", timeout: Patience.limit, for: Int.self)
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(answers.sorted() == Array(1...3000))
        try await running.stop()
        await client.close()
    }
}

/// Reserves the seats of a hall.
private enum Hall: LoopProgram {
    struct Receipt: Codable, Sendable, Equatable { var seats: [Int] }

    struct Model: Codable, Sendable, Equatable {
        var free = Array(1...4)
        var refusals = 0
        var count = 0
    }

    enum Event: Codable, Sendable, Equatable {
        case reserve(Int)
        case left(seat: Int)
        case count
        case babble
        case close
    }

    enum Effect: Codable, Sendable, Equatable {
        case receipt(Receipt)
        case counted(Int)
        case refuse(free: Int)
        case end
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .reserve(let count):
            guard count <= model.free.count else {
                model.refusals += 1
                return .next(model, effects: [.refuse(free: model.free.count)])
            }
            let seats = Array(model.free.prefix(count))
            model.free.removeFirst(count)
            return .next(model, effects: [.receipt(Receipt(seats: seats))])
        case .left(let seat):
            model.free = Set(model.free + [seat]).sorted()
            return .next(model)
        case .count:
            model.count += 1
            return .next(model, effects: [.counted(model.count)])
        case .babble: return .dispatchEffects([.counted(1), .refuse(free: 0)])
        case .close: return .dispatchEffects([.end])
        }
    }

    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.receipt).toSender { receipt in receipt }
        .routeCase(Effect.counted).toSender { count in count }
        .routeCase(Effect.refuse).refuses { free in "\(free) seats are free" }
        .routeCase(Effect.end).endsLoop(.mayBeginAgain)
}
