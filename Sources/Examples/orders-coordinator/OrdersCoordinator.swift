import MobiusCoordinator
import MobiusCore
import MobiusJournalPostgreSQL
import Orders

/// The coordinator of the shop: holds the loops of orders, customers and statistics, and hands out the steps of orders.
@main struct OrdersCoordinator: CoordinatorCommand {
    static let abstract = """
        Coordinates the orders of a shop: a loop for each order, such as order/4711, one for each customer, and the statistics. \
        Needs workers of three pools: stock, payments and shipping.
        """

    @Option(help: ArgumentHelp("How long a payment may take.", valueName: "seconds"))
    var paymentLimit = 300

    @Option(help: ArgumentHelp("How long an order stays readable after its end.", valueName: "days"))
    var retention = 30

    func validate() throws {
        guard (1...86_400).contains(paymentLimit) else {
            throw ValidationError("--payment-limit must be a number of seconds from 1 to 86400, not \(paymentLimit).")
        }
        guard (1...3650).contains(retention) else {
            throw ValidationError("--retention must be a number of days from 1 to 3650, not \(retention).")
        }
    }

    var programs: Programs {
        Order.routed(by: Order.routes(paymentLimit: .seconds(paymentLimit), retention: .seconds(retention * 86_400)))
        Customer.self
        Statistics.self
    }

    func configure(_ settings: inout CoordinatorSettings) {
        settings.journalOpeners = [.postgreSQL]
        // Customers begin the loops of their orders.
        settings.clientsMayStartLoops = true
    }
}
