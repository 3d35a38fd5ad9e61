import Dispatch
import FleetTestSupport
import Foundation
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusTest
import MobiusTestKit
import MobiusWorker
import Synchronization
import TestTraits
import Testing

// example: one-process
/// A transfer in one process: a controller, whose views show it and approve it.
func makeController(
    of number: String, _ bank: any Banking, clock: any Clock<Duration> = .continuous, viewQueue: DispatchQueue = .main
) -> MobiusController<Transfer.Model, Transfer.Event, Transfer.Effect> {
    typealias Effect = Transfer.Effect
    let effectHandler = EffectRouter<Transfer.Effect, Transfer.Event>()
        .routeCase(Effect.withdraw).toEvent { order in
            await outcome(.withdrawn) { try await bank.withdraw(order, reference: number) }
        }
        .routeCase(Effect.deposit).toEvent { order in
            await outcome(.deposited) { try await bank.deposit(order, reference: number) }
        }
        .routeCase(Effect.undo).toEvent { order in
            await outcome(.undone) { try await bank.undo(order, reference: number) }
        }
        .routeCase(Effect.waitADay).toEvent {
            try? await clock.sleep(for: .seconds(86_400))
            return .dayPassed
        }
        .routeCase(Effect.stopWaiting).cancels { underWay in underWay == .waitADay }
        .routeCase(Effect.askForApproval).to { _ in }  // the view shows the stage
        .routeCase(Effect.book).to { _, _ in }  // no account is in this process
        .routeCase(Effect.refuse).to { reason in print(reason) }
    return Mobius.loop(Transfer.self, effectHandler: effectHandler)
        .makeController(from: Transfer.Model(), loopQueue: .global(), viewQueue: viewQueue)
}

/// The event of a call to the bank.
func outcome(_ event: Transfer.Event, _ call: () async throws -> Void) async -> Transfer.Event {
    do {
        try await call()
        return event
    } catch {
        return .failed("\(error)")
    }
}
// end

// example: view
/// Shows the stage of a transfer, and sends what its buttons stand for.
struct TransferView: Connectable {
    let screen: TransferScreen

    func connect(_ consumer: @escaping Consumer<Transfer.Event>) -> Connection<Transfer.Model> {
        screen.onPress = consumer
        return Connection(
            acceptClosure: { transfer in screen.show(transfer.stage) }, disposeClosure: { screen.onPress = nil })
    }
}
// end

// example: remote-view
/// Connects a view to a loop of the fleet, until the task is cancelled or the client is closed.
func show<View: Connectable>(_ transfer: Address<Transfer>, in view: View, _ client: FleetClient) async throws
where View.Input == Transfer.Model, View.Output == Transfer.Event {
    let (events, pressed) = AsyncStream.makeStream(of: Transfer.Event.self)
    let connection = view.connect { event in pressed.yield(event) }
    let sending = Task {
        for await event in events {
            do { try await client.send(event, to: transfer) } catch { print("\(transfer): \(error)") }
        }
    }
    defer {
        sending.cancel()
        connection.dispose()
    }
    for try await model in try client.models(of: transfer) { connection.accept(model) }
}
// end

/// What a person sees and presses.
final class TransferScreen: Sendable {
    let shown = Journey<Transfer.Stage>()
    private let action = Mutex<Consumer<Transfer.Event>?>(nil)

    var onPress: Consumer<Transfer.Event>? {
        get { action.withLock { $0 } }
        set { action.withLock { $0 = newValue } }
    }

    func show(_ stage: Transfer.Stage) { shown.add(stage) }
}

@Suite("Examples: transfers", .patient)
struct TransferExamples {
    private let large = Transfer.Order(from: "ada", to: "grace", cents: 250_000)
    private let small = Transfer.Order(from: "ada", to: "grace", cents: 900)

    private func fleet(_ bank: OurBank, seed: UInt64 = 1, faults: FleetFaults = .none) -> TestFleet<Programs> {
        TestFleet(
            programs: Transfers().programs,
            workers: [
                .pool("bank", of: Transfer.self, processes: 2) { Transfer.bank(bank) },
                .pool("mail", of: Transfer.self) { Mailer().handler },
            ], seed: seed, faults: faults)
    }

    @Test func aLargeTransferWaitsForItsApproval() async throws {
        // example: test
        let bank = OurBank()
        let fleet = TestFleet(
            programs: Transfers().programs,
            workers: [
                .pool("bank", of: Transfer.self, processes: 2) { Transfer.bank(bank) },
                .pool("mail", of: Transfer.self) { Mailer().handler },
            ])
        let transfer = Address<Transfer>("4711")
        fleet.send(.requested(Transfer.Order(from: "ada", to: "grace", cents: 250_000)), to: transfer)
        try await fleet.run(for: .seconds(6 * 3600))
        #expect(fleet.model(of: transfer).stage == .waiting)
        fleet.killCoordinator()
        fleet.send(.approved, to: transfer, key: "approval of 4711")
        fleet.killCoordinator(at: .afterSend)
        try await fleet.runUntilQuiet()
        #expect(fleet.model(of: transfer).stage == .done)
        #expect(fleet.model(of: Address<Account>("grace")) == Account.Model(balance: 250_000, transfers: ["4711"]))
        let late = fleet.send(.approved, to: transfer)
        try await fleet.runUntilQuiet()
        #expect(fleet.refusal(of: late) == "the transfer is done")
        #expect(bank.balances == ["ada": -250_000, "grace": 250_000])
        try await fleet.finish()
        // end
    }

    @Test func nobodyApprovesIt() async throws {
        let bank = OurBank()
        let fleet = fleet(bank)
        fleet.send(.requested(large), to: Address<Transfer>("4711"))
        try await fleet.run(for: .seconds(2 * 86_400))
        #expect(fleet.model(of: Address<Transfer>("4711")).stage == .ended("not approved within a day"))
        #expect(bank.balances == [:])
        try await fleet.finish()
    }

    @Test func aRejectedTransferEndsItsTimer() async throws {
        let fleet = fleet(OurBank())
        fleet.send(.requested(large), to: Address<Transfer>("4711"))
        try await fleet.run(for: .seconds(60))
        fleet.send(.rejected, to: Address<Transfer>("4711"))
        try await fleet.runUntilQuiet()
        #expect(fleet.model(of: Address<Transfer>("4711")).stage == .ended("rejected"))
        #expect(fleet.effects.isEmpty)
        try await fleet.finish()
    }

    @Test func aClosedAccountGivesTheMoneyBack() async throws {
        let bank = OurBank(closed: "grace")
        let fleet = fleet(bank)
        fleet.send(.requested(small), to: Address<Transfer>("4711"))
        try await fleet.runUntilQuiet()
        #expect(fleet.model(of: Address<Transfer>("4711")).stage == .ended("the account grace is closed"))
        #expect(bank.balances.values.allSatisfy { $0 == 0 })
        #expect(fleet.model(of: Address<Account>("ada")) == Account.Model())
        try await fleet.finish()
    }

    @Test func noMoneyIsLostOrMade() async throws {
        for seed in 1...5 as ClosedRange<UInt64> {
            let bank = OurBank()
            let fleet = fleet(
                bank, seed: seed, faults: FleetFaults([.killCoordinator, .killWorker, .loseMessages]))
            for number in 1...5 { fleet.send(.requested(small), to: Address<Transfer>("\(number)")) }
            try await fleet.runUntilQuiet()
            #expect(fleet.model(of: Address<Account>("grace")).balance == bank.balances["grace", default: 0])
            #expect(bank.balances.values.reduce(0, +) == 0)
            try await fleet.finish()
        }
    }

    @Test func theNumberIsTheKeyOfTheLoop() {
        // example: update-test
        let context = LoopContext(loop: "transfer/4711", number: 3, time: Date(timeIntervalSince1970: 1_800_000_000))
        let order = Transfer.Order(from: "ada", to: "grace", cents: 900)
        UpdateSpec(Update(Transfer.self, in: context))
            .given(Transfer.Model(order: order, stage: .depositing))
            .when(.deposited)
            .then(
                assertThatNext(
                    hasModel(Transfer.Model(order: order, stage: .done)),
                    hasEffects([.book(account: "grace", .booked(cents: 900, transfer: "4711"))])))
        // end
    }

    @Test func inOneProcess() async throws {
        let (bank, screen) = (OurBank(), TransferScreen())
        let controller = makeController(of: "4711", bank, viewQueue: DispatchQueue(label: "views"))
        controller.connectView(TransferView(screen: screen))
        controller.start()
        screen.onPress?(.requested(large))
        try await screen.shown.wait { $0.contains(.waiting) }
        screen.onPress?(.approved)
        try await screen.shown.wait { $0.contains(.done) }
        controller.stop()
        #expect(controller.model.stage == .done)
        #expect(bank.balances == ["ada": -250_000, "grace": 250_000])
    }

    @Test func theSameViewShowsALoopOfTheFleet() async throws {
        let (folder, screen) = (try TestFolder(), TransferScreen())
        var settings = CoordinatorSettings(
            name: "transfers", bind: "ipc://" + folder.file("workers"), journal: .file(folder.file("journal")))
        settings.clientBind = "ipc://" + folder.file("clients")
        let coordinator = Coordinator<Programs>(settings, programs: Transfers().programs)
        let running = Task { try await coordinator.run() }
        let client = FleetClient(connect: "ipc://" + folder.file("clients"))
        let transfer = Address<Transfer>("4711")
        try await client.send(.requested(large), to: transfer, key: "request of 4711")
        let view = Task { try await show(transfer, in: TransferView(screen: screen), client) }
        try await screen.shown.wait { $0.contains(.waiting) }
        screen.onPress?(.rejected)
        try await screen.shown.wait { $0.contains(.ended("rejected")) }
        await client.close()
        try await view.value
        coordinator.stop()
        try await running.value
    }
}
