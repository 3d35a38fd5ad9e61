import MobiusCore
import MobiusWorker
import OrderLedgers
import Orders

/// A worker of the bank.
@main struct PaymentsWorker: WorkerCommand {
    static let pool = "payments"
    static let abstract = "Charges customers, and returns payments. All workers of the pool share one ledger."

    @Option(help: ArgumentHelp("The SQLite file of the pool's ledger.", valueName: "file"))
    var ledger = "payments.ledger"

    @Option(help: ArgumentHelp("What one customer may owe.", valueName: "cents"))
    var credit = 1_000_000

    @Option(help: ArgumentHelp("How long the bank takes before each entry.", valueName: "ms"))
    var delay = 0

    func validate() throws {
        guard (0...60_000).contains(delay) else {
            throw ValidationError("--delay must be a number of milliseconds from 0 to 60000, not \(delay).")
        }
    }

    var handler: EffectRouter<Order.Effect, Order.Event> {
        Payments(LedgerFile.opened(ledger), credit: credit, pauses: .before(.milliseconds(delay))).handlers
    }
}
