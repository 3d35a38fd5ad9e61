import Foundation
import MobiusCore
import MobiusWorker
import OrderLedgers
import Orders

/// A worker of the carrier.
@main struct ShippingWorker: WorkerCommand {
    static let pool = "shipping"
    static let abstract =
        "Sends parcels, and keeps back those that have not left. All workers of the pool share one ledger."

    @Option(help: ArgumentHelp("The SQLite file of the pool's ledger.", valueName: "file"))
    var ledger = "shipping.ledger"

    @Option(help: ArgumentHelp("A city that gets no parcels; may be repeated.", valueName: "city"))
    var unserved = ["Atlantis"]

    var handler: EffectRouter<Order.Effect, Order.Event> {
        Shipping(LedgerFile.opened(ledger), unserved: Set(unserved)) {
            Date().formatted(.iso8601.year().month().day())
        }.handlers
    }
}
