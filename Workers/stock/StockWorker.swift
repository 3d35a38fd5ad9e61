import MobiusCore
import MobiusWorker
import OrderLedgers
import Orders

/// A worker of the warehouse.
@main struct StockWorker: WorkerCommand {
    static let pool = "stock"
    static let abstract = "Sets goods aside for orders, and puts them back. All workers of the pool share one ledger."

    @Option(help: ArgumentHelp("The SQLite file of the pool's ledger.", valueName: "file"))
    var ledger = "stock.ledger"

    @Option(help: ArgumentHelp("How many pieces of each article a new ledger begins with.", valueName: "n"))
    var pieces = 1000

    var handler: EffectRouter<Order.Effect, Order.Event> {
        Stock(LedgerFile.opened(ledger, balances: Catalog.prices.mapValues { _ in pieces })).handlers
    }
}
