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

// example: transfer
/// One transfer of money, such as the loop `transfer/4711`; a large one needs the approval of a person within a day.
enum Transfer: ContextLoopProgram {
    struct Order: Codable, Sendable, Equatable {
        var from: String
        var to: String
        var cents: Int
    }

    enum Stage: Codable, Sendable, Equatable {
        case new, waiting, withdrawing, depositing, done
        case undoing(String), ended(String), stuck(String)
    }

    struct Model: Codable, Sendable, Equatable {
        var order: Order?
        var began: Date?
        var stage = Stage.new
    }

    enum Event: Codable, Sendable, Equatable {
        case requested(Order)
        case approved
        case rejected
        case dayPassed
        case withdrawn
        case deposited
        case undone
        case failed(String)
    }

    enum Effect: Codable, Sendable, Equatable {
        case askForApproval(Order)
        case waitADay
        case stopWaiting
        case withdraw(Order)
        case deposit(Order)
        case undo(Order)
        case book(account: String, Account.Event)
        case refuse(String)
    }

    static func initiate(_ context: LoopContext) -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event, _ context: LoopContext) -> Next<Model, Effect> {
        guard let order = model.order else {
            guard case .requested(let order) = event else { return .dispatchEffects([.refuse("no such transfer")]) }
            let isLarge = order.cents > 100_000
            return .next(
                Model(order: order, began: context.time, stage: isLarge ? .waiting : .withdrawing),
                effects: isLarge ? [.askForApproval(order), .waitADay] : [.withdraw(order)])
        }
        func go(_ stage: Stage, _ effects: [Effect] = []) -> Next<Model, Effect> {
            .next(Model(order: order, began: model.began, stage: stage), effects: effects)
        }
        switch (event, model.stage) {
        case (.approved, .waiting): return go(.withdrawing, [.stopWaiting, .withdraw(order)])
        case (.rejected, .waiting): return go(.ended("rejected"), [.stopWaiting])
        case (.dayPassed, .waiting): return go(.ended("not approved within a day"))
        case (.withdrawn, .withdrawing): return go(.depositing, [.deposit(order)])
        case (.deposited, .depositing):
            let number = String(context.key)  // of its own loop: 4711
            return go(
                .done,
                [
                    .book(account: order.from, .booked(cents: -order.cents, transfer: number)),
                    .book(account: order.to, .booked(cents: order.cents, transfer: number)),
                ])
        // Nobody knows whether a step that failed was done after all, so both are undone.
        case (.failed(let reason), .withdrawing), (.failed(let reason), .depositing):
            return go(.undoing(reason), [.undo(order)])
        case (.undone, .undoing(let reason)), (.undone, .stuck(let reason)): return go(.ended(reason))
        case (.failed(let reason), .undoing): return go(.stuck(reason))  // a person retries the dead letter
        default: return .dispatchEffects([.refuse("the transfer is \(model.stage)")])
        }
    }
}
// end

// example: account
/// The statement of one account, such as the loop `account/ada`.
enum Account: LoopProgram {
    struct Model: Codable, Sendable, Equatable {
        var balance = 0
        var transfers: [String] = []
    }

    enum Event: Codable, Sendable, Equatable { case booked(cents: Int, transfer: String) }
    typealias Effect = Never

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        switch event {
        case .booked(let cents, let transfer):
            .next(Model(balance: model.balance + cents, transfers: model.transfers + [transfer]))
        }
    }
}
// end

// example: routes
extension Transfer: FleetProgram {
    static let kind: LoopKind = "transfer"
    static let routes = EffectRouter<Effect, Event>()
        .routeCase(Effect.askForApproval).toWorkers("mail") { _, failure in .failed(failure.description) }
        .routeCase(Effect.waitADay).toTimer(.after(.seconds(86_400))) { .dayPassed }
        .routeCase(Effect.stopWaiting).cancels { underWay in underWay == .waitADay }
        .routeCase(Effect.withdraw).toWorkers("bank", policy: .step) { _, failure in .failed(failure.description) }
        .routeCase(Effect.deposit).toWorkers("bank", policy: .step) { _, failure in .failed(failure.description) }
        .routeCase(Effect.undo).toWorkers("bank", policy: .undo) { _, failure in .failed(failure.description) }
        .routeCase(Effect.book).toLoop { account, event in (Address<Account>(account), event) }
        .routeCase(Effect.refuse).refuses { reason in reason }
}

extension Account: FleetProgram {
    static let kind: LoopKind = "account"
}

extension EffectPolicy {
    /// Five attempts of half a minute at most; what fails is undone, so a dead letter would come too late.
    fileprivate static let step = EffectPolicy(
        timeouts: EffectTimeouts(startToClose: .seconds(30)), retry: RetryPolicy(attempts: 5, onTimeout: true),
        keepsDeadLetters: false)

    /// It has to succeed: a hundred attempts, up to an hour apart, and then a dead letter.
    fileprivate static let undo = EffectPolicy(
        timeouts: EffectTimeouts(startToClose: .seconds(30)),
        retry: RetryPolicy(attempts: 100, maximum: .seconds(3600), onTimeout: true), priority: 1)
}
// end

// example: handlers
extension Transfer {
    static func bank(_ bank: any Banking) -> EffectRouter<Effect, Event> {
        EffectRouter()
            .routeCase(Effect.withdraw).toWork { order, context in
                try await bank.withdraw(order, reference: context.id.loop.name)
                return .withdrawn
            }
            .routeCase(Effect.deposit).toWork { order, context in
                try await bank.deposit(order, reference: context.id.loop.name)
                return .deposited
            }
            .routeCase(Effect.undo).toWork { order, context in
                try await bank.undo(order, reference: context.id.loop.name)
                return .undone
            }
    }
}

/// A bank does each step once for each reference.
protocol Banking: Sendable {
    func withdraw(_ order: Transfer.Order, reference: String) async throws
    func deposit(_ order: Transfer.Order, reference: String) async throws
    /// Takes back what was done under the reference, and prevents what comes under it later.
    func undo(_ order: Transfer.Order, reference: String) async throws
}
// end

// example: coordinator
/// Marked with `@main` in an executable of its own.
struct Transfers: CoordinatorCommand {
    var programs: Programs {
        Transfer.self
        Account.self
    }
}
// end

// example: workers
/// Each marked with `@main` in an executable of its own.
struct BankWorker: WorkerCommand {
    static let pool = "bank"

    var handler: EffectRouter<Transfer.Effect, Transfer.Event> { Transfer.bank(OurBank()) }
}

struct Mailer: WorkerCommand {
    static let pool = "mail"

    var handler: EffectRouter<Transfer.Effect, Transfer.Event> {
        EffectRouter().routeCase(Transfer.Effect.askForApproval).to { order in
            print("To the manager: may \(order.from) send \(order.cents) cents to \(order.to)?")
        }
    }
}
// end

/// A bank in memory.
final class OurBank: Banking {
    private struct Books {
        var balances: [String: Int] = [:]
        var done: [String: [String: Int]] = [:]
        var undone: Set<String> = []
    }

    private let books = Mutex(Books())
    private let closed: String?

    /// A bank in which one account can be closed for deposits.
    init(closed: String? = nil) { self.closed = closed }

    var balances: [String: Int] { books.withLock { $0.balances } }

    func withdraw(_ order: Transfer.Order, reference: String) throws { try book(order.from, -order.cents, reference) }

    func deposit(_ order: Transfer.Order, reference: String) throws {
        if order.to == closed { throw EffectFailed("the account \(order.to) is closed", retryable: false) }
        try book(order.to, order.cents, reference)
    }

    func undo(_ order: Transfer.Order, reference: String) {
        books.withLock { books in
            books.undone.insert(reference)
            for (account, cents) in books.done.removeValue(forKey: reference) ?? [:] {
                books.balances[account, default: 0] -= cents
            }
        }
    }

    private func book(_ account: String, _ cents: Int, _ reference: String) throws {
        try books.withLock { books in
            if books.undone.contains(reference) { throw EffectFailed("it was undone", retryable: false) }
            guard books.done[reference]?[account] == nil else { return }
            books.done[reference, default: [:]][account] = cents
            books.balances[account, default: 0] += cents
        }
    }
}
