import Bank
import BankFleet
import Foundation
import MobiusCore
import MobiusWorker

/// A worker of the bank, for tests that kill it: it books in a ledger of its own and can be held at each place.
@main struct BankWorker: WorkerCommand {
    static let pool = "bank"

    @Option(help: "The SQLite file with its ledger.")
    var ledger: String

    @Option(help: "Hold each booking there, until a line `go` comes in: before, during or after its side effect.")
    var hold: [Place] = []

    @Option(help: "How many milliseconds a booking takes, half of it before its side effect.")
    var work = 0

    @Option(help: "How many bytes too long its answers are.")
    var padding = 0

    @Option(help: "How many times as fast as the product's its timing is.")
    var pace = 1

    @Flag(help: "End when the input does, at once: whoever started it is gone.")
    var endWithInput = false

    var handler: EffectRouter<Bank.Effect, Bank.Event> {
        let book = open()
        let gate = Gate(holding: Set(hold))
        listen(gate)
        let padding = String(repeating: "+", count: padding)
        let half = Double(work) / 2000
        return EffectRouter()
            .routeCase(Bank.Effect.book).toEvent { booking in
                gate.pass(.before, booking)
                if half > 0 { Thread.sleep(forTimeInterval: half) }
                if booking.isForbidden { return .declined(id: booking.id, hop: booking.hop) }
                Self.enter(.booking(booking), key: "\(booking.id)/\(booking.hop)", in: book) {
                    gate.pass(.during, booking)
                }
                if half > 0 { Thread.sleep(forTimeInterval: half) }
                gate.pass(.after, booking)
                return .booked(id: booking.id + padding, hop: booking.hop)
            }
            .routeCase(Bank.Effect.statement).to {
                (request: Bank.StatementRequest, callback: EffectCallback<Bank.Event>) -> any Disposable in
                for line in 1...max(1, request.lines) { callback.send(.statementLine(id: request.id, line)) }
                callback.end()
                return EmptyDisposable()
            }
            .routeCase(Bank.Effect.archive).to { (_: Int) in }
    }

    func configure(_ settings: inout WorkerSettings) {
        settings.timing = .paced(pace)
    }

    private func open() -> Ledger {
        do {
            return try Ledger(path: ledger)
        } catch {
            fatalError("The ledger \(ledger) cannot be opened: \(error)")
        }
    }

    private static func enter(
        _ deed: Bank.LedgerEntry.Deed, key: String, in ledger: Ledger, halfway: () -> Void
    ) {
        do {
            try ledger.enter(deed, key: key, halfway: halfway)
        } catch {
            fatalError("The ledger cannot be written: \(error)")
        }
    }

    private func listen(_ gate: Gate) {
        Thread.detachNewThread {
            while let line = readLine() {
                if line == "go" { gate.open() }
            }
            if endWithInput { _exit(0) }
        }
    }
}
