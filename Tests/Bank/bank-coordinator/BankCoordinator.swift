import Bank
import BankFleet
import Foundation
import MobiusCoordinator
import MobiusCore
import MobiusJournalPostgreSQL

/// The coordinator of the bank, for tests that kill it: it does what the lines of its input say.
///
/// - `open ACCOUNT BALANCE`, `transfer ID ACCOUNT,ACCOUNT… AMOUNT [letter] [watched]`, `list ID LINES`, `audit NUMBER`,
///   `interest NAME`, `end-interest NAME`: sends the event under its own key and answers `ok KEY` once it is on disk, or
///   `refused KEY why`.
/// - `status`, `model`: answers with that word and JSON, from the newest model.
/// - `stop`: stops orderly.
@main struct BankCoordinator: CoordinatorCommand {
    typealias Program = PoisonousBank

    static let name = "bank"

    @Option(help: "How many times as fast as the product's its timing is.")
    var pace = 1

    @Option(help: "How many attempts a booking has.")
    var attempts = 100

    @Option(help: "How many seconds an attempt may take.")
    var timeout = 600

    @Option(help: "The largest payload in bytes.")
    var maximumPayload: UInt32 = 4 << 20

    @Option(help: "How many events may wait for their commit.")
    var maximumIntake = 10_000

    @Option(help: "How many effects may be pending.")
    var maximumBacklog = 1_000_000

    @Flag(help: "Give workers ten minutes before they count as lost, and one to return after a start, at any pace.")
    var patient = false

    @Option(help: "After how many seconds workers and coordinator call each other silent, whatever the pace.")
    var silence: Int?

    @Option(help: "How many seconds after a start effects are kept for workers that have them, at any pace.")
    var adoption: Int?

    @Flag(help: "End when the input does, at once: whoever started it is gone.")
    var endWithInput = false

    @Option(help: "How many bookings from one account may run at once.")
    var perAccount: Int?

    @Option(help: "How many bookings may run at once in the whole cluster.")
    var together: Int?

    @Option(help: "How many bookings may begin each second in the whole cluster.")
    var perSecond: Int?

    @Option(help: "After how many milliseconds a watch fires, and how far apart interest is.")
    var watch = 2000

    var routes: Routes {
        let policy = EffectPolicy(
            timeouts: EffectTimeouts(startToClose: .seconds(timeout)), retry: RetryPolicy(attempts: attempts))
        var once = policy
        once.delivery = .atMostOnce
        var booking = policy
        booking.limitPerKey = perAccount.map { EffectLimit("account", concurrency: $0) }
        let rate = perSecond.map { EffectLimit.Rate($0, per: .seconds(1)) }
        if together != nil || rate != nil {
            booking.limit = EffectLimit("bookings", concurrency: together, rate: rate, scope: .cluster)
        }
        return Routes()
            .routeCase(Bank.Effect.book).toWorkers("bank", policy: booking, key: { "\($0.from)" }) { booking, _ in
                .unclear(id: booking.id, hop: booking.hop)
            }
            .routeCase(Bank.Effect.letter).toWorkers("post", policy: once) { id, failure in
                .letterEnded(id: id, failure == .outcomeUnknown ? .unknown : .failed)
            }
            .routeCase(Bank.Effect.statement).toWorkers("bank", policy: policy) { request, _ in
                .statementFailed(id: request.id)
            }
            .routeCase(Bank.Effect.archive).toWorkers("post", policy: policy) { number, _ in .archiveFailed(number) }
            .routeCase(Bank.Effect.audit).toEvent { number in .audited(number) }
            .routeCase(Bank.Effect.watch).toTimer(.after(.milliseconds(watch))) { id in .watchFired(id: id) }
            .routeCase(Bank.Effect.unwatch).cancels { id, underWay in underWay == .watch(id) }
            .routeCase(Bank.Effect.interest).toTimer(.every(.milliseconds(watch))) { name in .interestDue(name) }
            .routeCase(Bank.Effect.endInterest).cancels { name, underWay in underWay == .interest(name) }
            .routeCase(Bank.Effect.answer).toSender { events in events }
            .routeCase(Bank.Effect.refuse).refuses { events in "against the rules after \(events) events" }
            .routeCase(Bank.Effect.remit).toLoop {
                ($0.to, .remittanceArrived($0))
            } onFailure: { remittance, _ in
                .remittanceReturned(remittance)
            }
            .routeCase(Bank.Effect.ask).asks {
                ($0.to, .remittanceArrived($0))
            } answer: { remittance, answer in
                .remittanceAnswered(remittance, Self.words(answer))
            }
            .routeCase(Bank.Effect.close).endsLoop()
            .routeCase(Bank.Effect.tellAtEnd).toLoopAtEnd { child in (child, .parentEnded) }
            .routeCase(Bank.Effect.endAtEnd).endsLoopAtEnd { child in child }
            .routeCase(Bank.Effect.letGo).cancels { $1 == .tellAtEnd($0) || $1 == .endAtEnd($0) }
    }

    private static func words(_ answer: LoopAnswer<Int>) -> Bank.RemittanceAnswer {
        switch answer {
        case .answer(let events): .taken(events)
        case .refused: .refused
        case .failed(.failed): .returned
        case .nothing, .failed: .unknown
        }
    }

    func configure(_ settings: inout CoordinatorSettings) {
        SpanFile.traceIfWanted()
        settings.timing = .paced(pace)
        if patient {
            settings.timing.deadAfter = .seconds(600)
            settings.timing.reconnectGrace = .seconds(600)
            settings.timing.adoptionGrace = .seconds(60)
        }
        if let adoption { settings.timing.adoptionGrace = .seconds(adoption) }
        if let silence {
            settings.timing.suspectAfter = .seconds(silence)
            settings.timing.silence = .seconds(silence)
        }
        settings.maximumPayload = maximumPayload
        settings.maximumIntake = maximumIntake
        settings.maximumBacklog = maximumBacklog
        settings.journalOpeners = [.postgreSQL]
    }

    func run(_ loop: LoopHandle<PoisonousBank>) async throws {
        await withTaskGroup(of: Void.self) { tasks in
            for await line in StandardInput.lines() {
                if line == "stop" { return }
                tasks.addTask { await Self.obey(line, loop) }
            }
            if endWithInput { _exit(0) }
            try? await loop.untilStopped()
        }
    }

    private static func obey(_ line: String, _ loop: LoopHandle<PoisonousBank>) async {
        let words = line.split(separator: " ").map(String.init)
        switch words.first {
        case "status", "model":
            for await model in loop.models {
                print(words[0] == "model" ? "model \(json(model))" : "status \(json(BankStatus(of: model)))")
                return
            }
        default:
            guard let (key, event) = request(words) else {
                print("not understood: \(line)")
                return
            }
            do {
                try await loop.send(event, key: key)
                print("ok \(key)")
            } catch let error as CoordinatorError where error.code == .refusedByProgram {
                print("ok \(key)")  // the wish is on disk
            } catch {
                print("refused \(key) \(error)")
            }
        }
    }

    private static func request(_ words: [String]) -> (key: String, Bank.Event)? {
        switch (words.first, words.count) {
        case ("open", 3):
            guard let account = Int(words[1]), let balance = Int(words[2]) else { return nil }
            return ("account-\(account)", .accountOpened(account, balance: balance))
        case ("transfer", 4...6):
            let route = words[2].split(separator: ",").compactMap { Int($0) }
            guard let amount = Int(words[3]) else { return nil }
            let request = Bank.TransferRequest(
                id: words[1], route: route, amount: amount, wantsLetter: words.contains("letter"),
                isWatched: words.contains("watched"))
            return (String(words[1].prefix(64)), .transferRequested(request))
        case ("list", 3):
            guard let lines = Int(words[2]) else { return nil }
            return (words[1], .statementRequested(Bank.StatementRequest(id: words[1], lines: lines)))
        case ("audit", 2):
            guard let number = Int(words[1]) else { return nil }
            return ("audit-\(number)", .auditRequested(number))
        case ("interest", 2): return (words[1], .interestAgreed(words[1]))
        case ("remit", 4):
            guard let amount = Int(words[3]) else { return nil }
            let remittance = Bank.Remittance(
                id: words[1], from: "main", to: words[2], account: 1, amount: amount, returns: 1)
            return (words[1], .remittanceRequested(remittance))
        case ("ask", 4):
            guard let amount = Int(words[3]) else { return nil }
            var remittance = Bank.Remittance(
                id: words[1], from: "main", to: words[2], account: 1, amount: amount, returns: 0)
            remittance.asks = true
            return (words[1], .remittanceRequested(remittance))
        case ("close", 2): return (words[1], .closed)
        case ("end-interest", 2): return ("end-" + words[1], .interestEnded(words[1]))
        default: return nil
        }
    }

    private static func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(value) else { preconditionFailure("The bank's model is plain values.") }
        return String(decoding: data, as: UTF8.self)
    }
}
