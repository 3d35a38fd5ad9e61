import Bank
import BankFleet
import Dispatch
import Foundation
import MobiusCore
import MobiusWorker

/// A worker of the bank and its post, for tests that kill it.
///
/// It writes what it does in a ledger of its own, and can be held at each place.
@main struct BankWorker: WorkerCommand {
    static let pool = "bank"

    @Option(help: "The SQLite file with its ledger.")
    var ledger: String

    @Option(help: "Hold handlers there, until a line `step` or `go` (from then on) comes in: before, during, after.")
    var hold: [Place] = []

    @Option(help: "How many milliseconds a booking takes, half of it before its side effect.")
    var work = 0

    @Option(help: "A file in which it notes when bookings began and ended.")
    var times: String?

    @Flag(help: "Its archive takes nothing.")
    var broken = false

    @Option(help: "How many bytes too long its answers are.")
    var padding = 0

    @Option(help: "How many times as fast as the product's its timing is.")
    var pace = 1

    @Flag(help: "End when the input does, at once: whoever started it is gone.")
    var endWithInput = false

    var handler: EffectRouter<Bank.Effect, Bank.Event> {
        let clerk = Clerk(ledger: open(), gate: Gate(holding: Set(hold)), half: .microseconds(work * 500))
        listen(clerk.gate)
        let padding = String(repeating: "+", count: padding)
        let times = times.map { TimeSheet(path: $0) }
        return EffectRouter()
            .routeCase(Bank.Effect.book).toEvent { booking in
                if booking.isForbidden { return .declined(id: booking.id, hop: booking.hop) }
                let enter = { clerk.enter(.booking(booking), "\(booking.id)/\(booking.hop)") }
                if let times { times.note(enter) } else { enter() }
                return .booked(id: booking.id + padding, hop: booking.hop)
            }
            .routeCase(Bank.Effect.letter).toEvent { id in
                clerk.enter(.letter(id), "letter-\(id)")
                return .letterEnded(id: id, .sent)
            }
            .routeCase(Bank.Effect.statement).to {
                (request: Bank.StatementRequest, callback: EffectCallback<Bank.Event>) -> any Disposable in
                clerk.gate.pass(.before, request.id)
                for line in 1...max(1, request.lines) {
                    callback.send(.statementLine(id: request.id, line))
                    if line == 1 { clerk.gate.pass(.during, request.id) }
                    clerk.work()
                }
                clerk.gate.pass(.after, request.id)
                callback.end()
                return EmptyDisposable()
            }
            .routeCase(Bank.Effect.archive).toWork { number, _ in
                if broken { throw EffectFailed("the archive is locked", retryable: false) }
                print("archived \(number)")
                return nil
            }
    }

    func configure(_ settings: inout WorkerSettings) {
        SpanFile.traceIfWanted()
        settings.timing = .paced(pace)
        settings.pools = [Self.pool, "post"]
    }

    private func open() -> Ledger {
        do {
            return try Ledger(path: ledger)
        } catch {
            fatalError("The ledger \(ledger) cannot be opened: \(error)")
        }
    }

    private func listen(_ gate: Gate) {
        Thread.detachNewThread {
            while let line = readLine() {
                switch line {
                case "go": gate.open()
                case "step": gate.step()
                default: print("not understood: \(line)")
                }
            }
            if endWithInput { _exit(0) }
        }
    }
}

/// Does what is asked for, once for its idempotency key.
private struct Clerk: Sendable {
    let ledger: Ledger
    let gate: Gate
    /// How long half a deed takes.
    let half: DispatchTimeInterval

    func enter(_ deed: Bank.LedgerEntry.Deed, _ name: String) {
        guard let context = EffectContext.current else { fatalError("A handler of a worker has a context.") }
        gate.pass(.before, name)
        work()
        do {
            try ledger.enter(deed, key: context.idempotencyKey) { gate.pass(.during, name) }
        } catch {
            fatalError("The ledger cannot be written: \(error)")
        }
        work()
        gate.pass(.after, name)
    }

    /// Takes as long as half a deed takes.
    func work() {
        guard half != .microseconds(0) else { return }
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + half)
    }
}
