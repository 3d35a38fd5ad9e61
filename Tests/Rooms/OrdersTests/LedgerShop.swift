import FleetTestSupport
import MobiusCore
import MobiusTest
import MobiusWorker
import OrderLedgers
import Orders
import Testing

/// The handlers of the three pools without a fleet: a test chooses which effect comes when, and under which key.
struct LedgerShop {
    let stock: LedgerFile
    let payments: LedgerFile
    let shipping: LedgerFile
    private let folder: TestFolder?
    private let handlers: [Step: EffectRouter<Order.Effect, Order.Event>]

    /// - Parameter folder: Where the ledgers are files; `nil` keeps them in memory.
    init(_ folder: TestFolder? = nil, initialStock: [String: Int] = ["tea": 5], credit: Int = 10_000) throws {
        self.folder = folder
        (stock, payments, shipping) = (
            try LedgerFile(path: folder?.file("stock")), try LedgerFile(path: folder?.file("payments")),
            try LedgerFile(path: folder?.file("shipping"))
        )
        try stock.begin(initialStock)
        let stockHandlers = Stock(stock).handlers
        let paymentHandlers = Payments(payments, credit: credit).handlers
        let shippingHandlers = Shipping(shipping, unserved: ["Atlantis"]) { "2027-01-15" }.handlers
        handlers = [
            .reserve: stockHandlers, .release: stockHandlers, .charge: paymentHandlers, .refund: paymentHandlers,
            .ship: shippingHandlers, .recall: shippingHandlers,
        ]
    }

    /// The lines of all ledgers.
    var entryCount: Int {
        get async throws {
            try await stock.entries().count + payments.entries().count + shipping.entries().count
        }
    }

    static func order(_ customer: String = "Ada", article: String = "tea", quantity: Int = 2) -> Purchase {
        Purchase(
            Request(customer: customer, article: article, quantity: quantity, city: "Bergen"), amount: 450 * quantity)
    }

    /// Performs a step; the key of its effect is `order/number/sequence/0`.
    ///
    /// - Returns: The worker's answer.
    @discardableResult
    func perform(
        _ step: Step, _ order: Purchase = order(), in number: Int = 1, sequence: UInt64
    ) async throws -> Order.Event {
        let loop = try #require(LoopID("order/\(number)"))
        let context = EffectContext(id: EffectID(loop: loop, sequence: sequence, index: 0))
        let router = try #require(handlers[step])
        let answers = Journey<Order.Event>()
        await EffectContext.$current.withValue(context) {
            await EffectHandlerSpec(router).when(Self.effect(step, order)).then(within: Patience.limit) { result in
                for event in result.events { answers.add(event) }
            }
        }
        try #require(answers.elements.count == 1, "\(step) has answered \(answers.elements)")
        return answers.elements[0]
    }

    private static func effect(_ step: Step, _ order: Purchase) -> Order.Effect {
        switch step {
        case .reserve: .reserve(order)
        case .release: .release(order)
        case .charge: .charge(order)
        case .refund: .refund(order)
        case .ship: .ship(order)
        case .recall: .recall(order)
        }
    }
}
