import MobiusCore
import MobiusTestKit
import MobiusWire
import OrderLedgers
import Orders

/// The shop in virtual time: the coordinator's routes, the workers' handlers, and ledgers that survive all processes.
struct ShopFleet {
    static let initialStock = Catalog.prices.mapValues { _ in 5 }

    private let stock: LedgerFile
    private let payments: LedgerFile
    private let shipping: LedgerFile
    let fleet: TestFleet<Programs>

    /// - Parameter bank: How long the bank thinks; every other deed takes a second before and one after its entry.
    init(
        bank: Duration = .seconds(1), paymentLimit: Duration = .seconds(120), processes: Int = 2, seed: UInt64 = 1,
        faults: FleetFaults = .none
    ) throws {
        let clock = FleetClock()
        let (stock, payments, shipping) = (
            try LedgerFile(path: nil), try LedgerFile(path: nil), try LedgerFile(path: nil)
        )
        try stock.begin(Self.initialStock)
        (self.stock, self.payments, self.shipping) = (stock, payments, shipping)
        let second: @Sendable () async throws -> Void = { try await clock.sleep(for: .seconds(1)) }
        let pauses = Pauses(before: second, after: second)
        let bankPauses = Pauses(before: { try await clock.sleep(for: bank) }, after: second)
        fleet = TestFleet(
            programs: Programs {
                Order.routed(by: Order.routes(paymentLimit: paymentLimit))
                Customer.self
                Statistics.self
            },
            workers: [
                .pool("stock", of: Order.self, processes: processes) { Stock(stock, pauses: pauses).handlers },
                .pool("payments", of: Order.self, processes: processes) {
                    Payments(payments, credit: 10_000, pauses: bankPauses).handlers
                },
                .pool("shipping", of: Order.self, processes: processes) {
                    Shipping(shipping, unserved: ["Atlantis"], pauses: pauses) { "2027-01-15" }.handlers
                },
            ],
            seed: seed, faults: faults, clock: clock)
    }

    static func loop(_ number: Int) -> Address<Order> { Address("\(number)") }

    @discardableResult
    func place(
        _ number: Int, customer: String = "Ada", article: String = "tea", quantity: Int = 1, city: String = "Bergen"
    ) -> TestFleet<Programs>.Request {
        let request = Request(customer: customer, article: article, quantity: quantity, city: city)
        return fleet.send(.placed(request), to: Self.loop(number), key: "place")
    }

    @discardableResult
    func cancel(_ number: Int) -> TestFleet<Programs>.Request {
        fleet.send(.cancelled, to: Self.loop(number), key: "cancel")
    }

    func saga(_ number: Int) -> Saga? {
        if case .order(let saga) = fleet.model(of: Self.loop(number)) { saga } else { nil }
    }

    var statistics: Statistics { fleet.model(of: Address<Statistics>.only) }

    /// The loop of a customer.
    func customer(_ name: String = "Ada") -> Customer { fleet.model(of: Address<Customer>(name)) }

    func stage(_ number: Int) -> Stage? { saga(number)?.stage }

    /// Runs until all these orders are at an end.
    func run(untilEndOf numbers: ClosedRange<Int>) async throws {
        try await fleet.run(
            untilTrue: numbers.allSatisfy { stage($0)?.isEnd == true }, within: .seconds(7200))
    }

    /// What is wrong with the ledgers, now that these orders have ended.
    func complaints(_ numbers: ClosedRange<Int>) async throws -> [String] {
        let orders = numbers.compactMap { number in saga(number).map { (Self.loop(number).name, $0) } }
        return try await Audit(
            orders: Dictionary(uniqueKeysWithValues: orders), initialStock: Self.initialStock, stock: stock,
            payments: payments, shipping: shipping
        ).complaints
    }
}
