import FleetTestSupport
import Foundation
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusWire
import Orders
import TestTraits
import Testing

/// The shop whose orders and statistics were one program becomes that of several, on the same journal.
@Suite(.patient)
struct OrdersUpgradeTests {
    private let folder: TestFolder
    private var endpoint: String { "ipc://\(folder.file("s"))" }

    init() throws {
        folder = try TestFolder()
    }

    @Test("first the workers, then the coordinator: an order that is under way goes on, and so do the statistics")
    func goesOn() async throws {
        let former = former()
        let running = Task(executorPreference: TaskThread()) { try await former.run() }
        // Today's workers serve the former program.
        let workers = [try worker("stock", "--pieces", "10"), try worker("payments")]
        var shipping = try worker("shipping")
        let loops = former.loop
        try await loops.loop("order/1").send(.placed(request))
        for await case .order(let saga) in loops.loop("order/1").models where saga.stage.isEnd {
            if case .delivered = saga.stage { break }
            Issue.record("order/1 is \(saga.stage)")
            return
        }
        for await case .statistics in loops.loop("statistics").models { break }
        try await shipping.kill()
        try await loops.loop("order/2").send(.placed(request))
        for await case .order(let saga) in loops.loop("order/2").models where saga.stage == .shipping { break }
        former.stop()
        try await running.value

        try await verify()
        let coordinator = try TestProcess(
            "orders-coordinator", ["--bind", endpoint, "--journal", folder.file("journal")], in: folder.path)
        let client = FleetClient(connect: "\(endpoint)-client", timeout: .seconds(60))
        let second = Address<Order>("2")
        let purchase = Purchase(request, amount: 900)
        let found = try await client.model(of: second)
        #expect(found == .order(Saga(purchase, .shipping)))
        // The facts of orders of the former build are computed anew.
        let underWay = try await find("stage = shipping and total > 800", client)
        #expect(underWay.map(\.loop.name) == ["order/2"])
        #expect(underWay.first?.facts?["customer"] == .text("Ada"))
        #expect(try await find("stage = delivered", client).map(\.loop.name) == ["order/1"])
        shipping = try worker("shipping")
        _ = try await client.untilModel(
            of: Order.self, loop: #require(second.loop), timeout: Patience.limit
        ) { model in
            if case .order(let saga) = model { saga.stage.isEnd } else { false }
        }
        try await client.send(.placed(request), to: Address<Order>("3"))
        let counted = try await client.untilModel(
            of: Statistics.self, loop: #require(Address<Statistics>.only.loop), timeout: Patience.limit
        ) { $0.sold == 3 }
        #expect(counted.notSold == 0 && counted.revenue.values.reduce(0, +) == 3 * 900)
        // Of the order that was under way, the customer's loop gets the end.
        let ada = try await client.untilModel(
            of: Customer.self, loop: #require(Address<Customer>("Ada").loop), timeout: Patience.limit
        ) { customer in customer.orders.count { $0.outcome != nil } == 2 }
        #expect(ada.orders.map(\.number) == ["2", "3"])
        let delivered = try await find("stage = delivered", client)
        #expect(delivered.map(\.loop.name) == ["order/1", "order/2", "order/3"])
        await client.close()
        for process in workers + [shipping, coordinator] { try await process.kill() }
        try await verify()
    }

    /// The orders whose facts fulfil a condition, once those of all loops are this build's.
    private func find(_ condition: String, _ client: FleetClient) async throws -> [LoopSummary] {
        while true {
            let page = try await client.find(Order.self, where: condition)
            if page.isComplete { return page.loops }
        }
    }

    private let request = Request(customer: "Ada", article: "tea", quantity: 2, city: "Bergen")

    /// The coordinator as it was.
    private func former() -> Coordinator<FormerOrders> {
        var settings = CoordinatorSettings(
            name: "orders", bind: endpoint, journal: .file(folder.file("journal")))
        settings.clientBind = nil
        return Coordinator<FormerOrders>(settings, routes: FormerOrders.routes)
    }

    /// As `mobius replace coordinator` does before it starts the build.
    private func verify() async throws {
        let process = try TestProcess("orders-coordinator", ["--journal", folder.file("journal"), "--verify"])
        #expect(try await process.end() == .exited(0), "\(process.errors.elements)")
    }

    private func worker(_ pool: String, _ options: String...) throws -> TestProcess {
        try TestProcess(pool, ["--connect", endpoint] + options, in: folder.path)
    }
}
