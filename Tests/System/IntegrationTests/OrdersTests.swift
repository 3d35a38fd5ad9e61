import FleetTestSupport
import Foundation
import MobiusClient
import MobiusWire
import OrderLedgers
import Orders
import TestTraits
import Testing

/// The shop as real processes, all of which are killed in the middle, with all ledgers audited at the end.
@Suite(.patient)
struct OrdersChaosTests {
    private static let count = 60
    private static let cities = ["Bergen", "Bergen", "Bergen", "Atlantis"]

    private let folder: TestFolder
    private var endpoint: String { "ipc://\(folder.file("s"))" }

    init() throws {
        folder = try TestFolder()
    }

    private func coordinator() throws -> TestProcess {
        try TestProcess("orders-coordinator", ["--bind", endpoint], in: folder.path)
    }

    private func worker(_ pool: String, _ options: [String] = []) throws -> TestProcess {
        try TestProcess(pool, ["--connect", endpoint] + options, in: folder.path)
    }

    private func workers() throws -> [TestProcess] {
        try [
            worker("stock", ["--pieces", "40"]), worker("payments", ["--credit", "20000", "--delay", "50"]),
            worker("shipping"),
        ]
    }

    private static func loop(_ number: Int) throws -> LoopID { try #require(LoopID("order/\(number)")) }

    @Test func noKillCostsAnOrderItsMoneyOrItsGoods() async throws {
        var coordinator = try coordinator()
        var workers = try workers()
        let client = FleetClient(connect: "\(endpoint)-client", timeout: .seconds(120))
        for number in 1...Self.count {
            let request = Request(
                customer: "customer-\(number % 5)", article: number % 3 == 0 ? "cup" : "tea", quantity: 1 + number % 3,
                city: Self.cities[number % Self.cities.count])
            let loop = try Self.loop(number)
            try await client.send(Orders.Event.placed(request), of: Orders.self, loop: loop, key: "place")
            if number % 7 == 0 {
                do {
                    try await client.send(Orders.Event.cancelled, of: Orders.self, loop: loop, key: "cancel")
                } catch let error as FleetClientError where error.code == .refusedByProgram {}  // it was sent already
            }
            // Every process is killed twice and started again, while orders are at each of their steps.
            if [12, 48].contains(number) {
                try await coordinator.kill()
                coordinator = try self.coordinator()
            } else if [24, 36].contains(number) {
                for worker in workers { try await worker.kill() }
                workers = try self.workers()
            }
        }
        let orders = try await ends(client)
        let complaints = try await audit(orders).complaints
        #expect(complaints == [])
        #expect(Set(orders.values.map(\.stage.isEnd)) == [true])
        #expect(orders.values.contains { if case .delivered = $0.stage { true } else { false } })
        await client.close()
        for process in workers + [coordinator] { try await process.kill() }
    }

    /// Waits until every order is at its end.
    private func ends(_ client: FleetClient) async throws -> [String: Saga] {
        var orders: [String: Saga] = [:]
        for number in 1...Self.count {
            let loop = try Self.loop(number)
            for try await model in client.models(of: Orders.self, loop: loop) {
                guard case .order(let saga) = model, saga.stage.isEnd else { continue }
                orders[loop.name] = saga
                break
            }
        }
        return orders
    }

    private func audit(_ orders: [String: Saga]) async throws -> Audit {
        try await Audit(
            orders: orders, initialStock: Catalog.prices.mapValues { _ in 40 },
            stock: LedgerFile(path: folder.file("stock.ledger")),
            payments: LedgerFile(path: folder.file("payments.ledger")),
            shipping: LedgerFile(path: folder.file("shipping.ledger")))
    }
}
