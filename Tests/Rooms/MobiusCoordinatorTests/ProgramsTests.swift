import FleetTestSupport
import Foundation
import Logging
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusWire
import TestTraits
import Testing

/// Several programs in one coordinator, on a journal on disk.
@Suite(.patient)
struct ProgramsTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private static let both = Programs {
        Account.self
        Totals.self
    }

    private func run(_ programs: Programs = both, clients: String? = nil) -> RunningPrograms {
        RunningPrograms(folder.file("journal"), programs, clients: clients)
    }

    @Test func loopsOfEachProgramRunAndSendEventsToEachOther() async throws {
        let ada = Address<Account>("ada"), bob = Address<Account>("bob")
        var running = run()
        for amount in 1...3 {
            let sent = try await running.loop[ada].send(.paidIn(amount))
            #expect(try sent.answer(as: Int.self) == (1...amount).reduce(0, +))
        }
        try await running.loop.loops(Account.self)["bob"].send(.paidIn(10))
        for await totals in running.loop[Address<Totals>.only].models where totals.count == 4 {
            #expect(totals == Totals.Model(count: 4, amount: 16, names: ["account/ada", "account/bob"]))
            break
        }
        try await running.stop()
        // All of it is found again, and verified by replay.
        running = run()
        #expect(await running.model(of: ada)?.balance == 6)
        #expect(await running.model(of: bob)?.balance == 10)
        #expect(await running.model(of: Address<Totals>.only)?.amount == 16)
        try await running.stop()
        let settings = CoordinatorSettings(name: "shop", journal: .file(folder.file("journal")))
        let summary = try Coordinator<Programs>.verify(settings, programs: Self.both)
        #expect("\(summary)".contains("3 loops"), "\(summary)")
        var sums: [Int] = []
        try Coordinator<Programs>.replay(#require(ada.loop), settings, programs: Self.both) { event in
            sums.append((event.model.value as? Account.Model)?.balance ?? -1)
        }
        #expect(sums == [0, 1, 3, 6])
    }

    @Test(arguments: [
        ("acount/ada", "Did you mean account?"), ("main", "the kinds are account, totals"),
        ("accounts", "Did you mean account?"), ("/account", "No program has loops of the kind "),
    ])
    func aLoopOfNoProgramIsRefused(name: String, words: String) async throws {
        let running = run(clients: "ipc://\(folder.file("clients"))")
        let client = FleetClient(connect: "ipc://\(folder.file("clients"))")
        let loop = try #require(LoopID(name))
        let error = await #expect(throws: FleetClientError.self) {
            try await client.send(Account.Event.paidIn(1), loop: loop)
        }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        #expect(error?.code == .refused)
        // An event for it is not delivered, and its sender learns that.
        try await running.loop[Address<Account>("ada")].send(.sent(name, 5))
        for await balance in running.loop[Address<Account>("ada")].models where balance.balance == 500 { break }
        await client.close()
        try await running.stop()
    }

    @Test func clientsSendToAddressesAndReadTheFormsOfAllPrograms() async throws {
        let running = run(clients: "ipc://\(folder.file("clients"))")
        let client = FleetClient(connect: "ipc://\(folder.file("clients"))")
        let ada = Address<Account>("ada")
        let sent = try await client.send(.paidIn(4), to: ada, key: "k")
        #expect(try sent.answer(as: Int.self) == 4)
        #expect(try await client.send(.paidIn(4), to: ada, key: "k").isRepeated)
        #expect(try await client.model(of: ada) == Account.Model(balance: 4))
        #expect(try await client.model(of: ada, at: 0) == Account.Model())
        let long = Address<Account>(String(repeating: "a", count: 121))
        await #expect(throws: FleetClientError.self) { try await client.send(.paidIn(4), to: long) }
        // A list of one kind of loops is a list of a prefix.
        #expect(try await client.loops(prefix: "account/").loops.map(\.loop.name) == ["account/ada"])
        let schema = try #require(
            try JSONSerialization.jsonObject(with: Data(try await client.schema().utf8)) as? [String: Any])
        #expect(schema["x-kinds"] as? [String] == ["account", "totals"])
        let definitions = try #require(schema["$defs"] as? [String: Any])
        #expect(
            definitions.keys.sorted().starts(with: ["Effect", "Event", "Model", "account.Effect", "account.Event"]))
        await client.close()
        try await running.stop()
    }

    @Test func anEventOfAnotherProgramIsRefused() async throws {
        let running = run(clients: "ipc://\(folder.file("clients"))")
        let client = FleetClient(connect: "ipc://\(folder.file("clients"))")
        let ada = try #require(Address<Account>("ada").loop)
        let error = await #expect(throws: FleetClientError.self) {
            try await client.send(
                Totals.Event.moved("account/ada", 1), type: "totals.event", loop: ada)
        }
        #expect(error?.description.contains("it is totals.event") == true, "\(String(describing: error))")
        await client.close()
        try await running.stop()
    }

    /// The journal of one program, whose model was an enum of the kinds of loops.
    @Test func theJournalOfOneProgramGoesOnAsThatOfSeveral() async throws {
        let one = Running<Bookkeeping>(folder.file("journal"), routes: Bookkeeping.routes)
        for amount in 1...3 {
            let loop = one.coordinator.loop.loop("account/ada")
            try await loop.send(.paidIn(amount))
        }
        for await model in one.coordinator.loop.loop("totals").models {
            if case .totals(let totals) = model, totals.count == 3 { break }
        }
        try await one.stop()
        let running = run()
        #expect(await running.model(of: Address<Account>("ada"))?.balance == 6)
        try await running.loop[Address<Account>("ada")].send(.paidIn(4))
        for await totals in running.loop[Address<Totals>.only].models where totals.count == 4 {
            #expect(totals.amount == 10)
            break
        }
        // Its loop `main` had only begun, so nothing is said about it.
        #expect(await running.coordinator.held.isEmpty)
        try await running.stop()
    }

    @Test func loopsOfARetiredProgramGoOnAndNoneBegins() async throws {
        var running = run()
        try await running.loop[Address<Account>("ada")].send(.paidIn(7))
        try await running.stop()
        running = run(
            Programs {
                Account.retired
                Totals.self
            })
        #expect(await running.coordinator.held.isEmpty)
        try await running.loop[Address<Account>("ada")].send(.paidIn(1))
        let error = await #expect(throws: CoordinatorError.self) {
            try await running.loop[Address<Account>("bob")].send(.paidIn(1))
        }
        #expect(error?.code == .noProgram && error?.message.contains("retired") == true)
        #expect(await running.model(of: Address<Account>("ada"))?.balance == 8)
        try await running.stop()
    }

    @Test func loopsOfAProgramThatIsGoneAreHeldUntilItIsBack() async throws {
        var running = run()
        try await running.loop[Address<Account>("ada")].send(.paidIn(7))
        try await running.loop[Address<Totals>.only].send(.moved("test", 1))
        try await running.stop()
        let fewer = Programs { Totals.self }
        running = run(fewer)
        try await running.loop[Address<Totals>.only].send(.moved("test", 1))
        let held = await running.coordinator.held
        #expect(held.map(\.loop.name) == ["account/ada"])
        #expect(held.first?.source.contains("no program") == true, "\(held.first?.source ?? "")")
        try await running.stop()
        running = run()
        #expect(await running.model(of: Address<Account>("ada"))?.balance == 7)
        try await running.loop[Address<Account>("ada")].send(.paidIn(1))
        try await running.stop()
    }
}

/// A coordinator of several programs that runs in this process, without workers.
final class RunningPrograms: Sendable {
    let coordinator: Coordinator<Programs>
    private let running: Task<Void, any Error>

    init(
        _ journal: String, _ programs: Programs, clients: String?,
        _ change: (inout CoordinatorSettings) -> Void = { _ in }
    ) {
        var settings = CoordinatorSettings(
            name: "shop", bind: "tcp://127.0.0.1:*", journal: .file(journal), timing: .quick)
        settings.clientBind = clients
        change(&settings)
        let coordinator = Coordinator<Programs>(
            settings, programs: programs, logger: .collecting(Journey<String>()))
        self.coordinator = coordinator
        running = Task(executorPreference: TaskThread()) { try await coordinator.run() }
    }

    deinit {
        running.cancel()
    }

    var loop: LoopHandle<Programs> { coordinator.loop }

    func model<Own: FleetProgram>(of address: Address<Own>) async -> Own.Model? {
        for await model in loop[address].models { return model }
        return nil
    }

    func stop() async throws {
        coordinator.stop()
        try await running.value
    }
}

/// The balance of a customer, of which each change is told to the totals.
enum Account: ContextLoopProgram, FleetProgram {
    struct Model: Codable, Sendable, Equatable {
        var balance = 0
    }

    enum Event: Codable, Sendable {
        case paidIn(Int)
        case sent(String, Int)
        case sendingFailed
    }

    enum Effect: Codable, Sendable {
        case tell(String, Int)
        case answer(Int)
        case send(String, Int)
    }

    static let kind: LoopKind = "account"

    static func initiate(_ context: LoopContext) -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event, _ context: LoopContext) -> Next<Model, Effect> {
        switch event {
        case .paidIn(let amount):
            let sum = model.balance + amount
            return .next(Model(balance: sum), effects: [.tell(context.loop, amount), .answer(sum)])
        case .sent(let loop, let amount):
            return .next(Model(balance: model.balance - amount), effects: [.send(loop, amount)])
        case .sendingFailed: return .next(Model(balance: 500))
        }
    }

    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.tell).toLoop { loop, amount in (Address<Totals>.only, .moved(loop, amount)) }
        .routeCase(Effect.answer).toSender { $0 }
        .routeCase(Effect.send).toLoop { loop, amount in
            (loop, .paidIn(amount))
        } onFailure: { _, _ in
            .sendingFailed
        }
}

extension Account.Model: PayloadEvolution {
    private enum Union: Codable, Sendable {
        case account(Int)
    }

    static let versions = PayloadVersions(
        "account.model", formerly: "MobiusCoordinatorTests.Bookkeeping.Model", startingWith: Union.self
    ).then(Account.Model.self) { former in
        switch former {
        case .account(let balance): Account.Model(balance: balance)
        }
    }
}

extension Account.Event: PayloadEvolution {
    static let versions = PayloadVersions(
        "account.event", formerly: "MobiusCoordinatorTests.Bookkeeping.Event", startingWith: Self.self)
}

extension Account.Effect: PayloadEvolution {
    static let versions = PayloadVersions(
        "account.effect", formerly: "MobiusCoordinatorTests.Bookkeeping.Effect", startingWith: Self.self)
}

/// The one loop that sums up all accounts.
enum Totals: LoopProgram, FleetProgram {
    struct Model: Codable, Sendable, Equatable {
        var count = 0
        var amount = 0
        var names: Set<String> = []
    }

    enum Event: Codable, Sendable {
        case moved(String, Int)
    }

    typealias Effect = Never

    static let kind: LoopKind = "totals"

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        guard case .moved(let name, let amount) = event else { return .noChange }
        return .next(Model(count: model.count + 1, amount: model.amount + amount, names: model.names.union([name])))
    }
}

extension Totals.Event: PayloadEvolution {
    static let versions = PayloadVersions(
        "totals.event", formerly: "MobiusCoordinatorTests.Bookkeeping.Event", startingWith: Self.self)
}

extension Totals.Model: PayloadEvolution {
    private enum Union: Codable, Sendable {
        case totals(Totals.Model.Plain)
    }

    struct Plain: Codable, Sendable {
        var count = 0
        var amount = 0
        var names: Set<String> = []
    }

    static let versions = PayloadVersions(
        "totals.model", formerly: "MobiusCoordinatorTests.Bookkeeping.Model", startingWith: Union.self
    ).then(Totals.Model.self) { former in
        switch former {
        case .totals(let plain): Totals.Model(count: plain.count, amount: plain.amount, names: plain.names)
        }
    }
}

/// Both in one program, as they were before: a union of models, and of events.
enum Bookkeeping: ContextLoopProgram {
    enum Model: Codable, Sendable {
        case empty
        case account(Int)
        case totals(Totals.Model.Plain)
    }

    enum Event: Codable, Sendable {
        case paidIn(Int)
        case moved(String, Int)
    }

    enum Effect: Codable, Sendable {
        case tell(String, Int)
    }

    static func initiate(_ context: LoopContext) -> First<Model, Effect> { First(model: .empty) }

    static func update(_ model: Model, _ event: Event, _ context: LoopContext) -> Next<Model, Effect> {
        switch (model, event) {
        case (.empty, .paidIn(let amount)):
            return .next(.account(amount), effects: [.tell(context.loop, amount)])
        case (.account(let balance), .paidIn(let amount)):
            return .next(.account(balance + amount), effects: [.tell(context.loop, amount)])
        case (.empty, .moved(let name, let amount)):
            return .next(.totals(.init(count: 1, amount: amount, names: [name])))
        case (.totals(let totals), .moved(let name, let amount)):
            return .next(
                .totals(
                    .init(
                        count: totals.count + 1, amount: totals.amount + amount, names: totals.names.union([name]))))
        default: return .noChange
        }
    }

    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.tell).toLoop { loop, amount in ("totals", .moved(loop, amount)) }
}
