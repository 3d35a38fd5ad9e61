import Bank
import MobiusCore
import MobiusEngine
import MobiusProgram
import MobiusTestKit

/// Where the bank's effects go, and by which policies: other ones in each run.
struct BankRoutes {
    let router: EffectRouter<Bank.Effect, Bank.Event>
    /// Those of a later build, which sends an event between loops that an earlier one cannot read.
    let later: EffectRouter<Bank.Effect, Bank.Event>
    /// Whether lists share a limit, so that not all workers may make some at once.
    let limitsStatements: Bool
    /// Whether workers are shared out between lists of different keys.
    let sharesStatements: Bool
    /// Whether the steps from an account go to one worker.
    let sticks: Bool
    /// Whether loops that have closed begin again.
    let begins: Bool

    init(_ draw: inout Chance) {
        let vault = Self.limit(&draw)
        var (book, letter) = (Self.policy(vault, &draw), Self.letterPolicy(vault, &draw))
        var (statement, archive) = (Self.statementPolicy(vault, &draw), Self.policy(vault, &draw))
        let keys = BankKeys(&draw)
        Self.limitKeys(of: &book, keys.account != nil, &draw)
        Self.limitKeys(of: &letter, keys.letter != nil, &draw)
        Self.limitKeys(of: &statement, keys.statement != nil, &draw)
        Self.limitKeys(of: &archive, keys.archive != nil, &draw)
        sticks = draw.percent(40)
        var account: (@Sendable (Bank.Booking) -> String)?
        if sticks {
            account = { booking in
                Mistakes.Place.plan.reach(booking.id)
                return "account \(booking.from)"
            }
        }
        let (watch, interest) = (draw.milliseconds(100...3000), draw.milliseconds(100...2000))
        var workers = EffectRouter<Bank.Effect, Bank.Event>()
        workers = workers.routeCase(Bank.Effect.book).toWorkers(
            "bank", policy: book, affinity: account, key: keys.account
        ) { booking, _ in
            Mistakes.Place.unclear.reach(booking.id)
            return .unclear(id: booking.id, hop: booking.hop)
        }
        workers = workers.routeCase(Bank.Effect.letter).toWorkers("post", policy: letter, key: keys.letter) {
            id, failure in .letterEnded(id: id, Self.isUnsent(failure) ? .failed : .unknown)
        }
        workers = workers.routeCase(Bank.Effect.statement).toWorkers("bank", policy: statement, key: keys.statement) {
            request, _ in .statementFailed(id: request.id)
        }
        workers = workers.routeCase(Bank.Effect.archive).toWorkers("post", policy: archive, key: keys.archive) {
            number, _ in .archiveFailed(number)
        }
        begins = draw.percent(30)
        let end = begins ? LoopEnd.mayBeginAgain : .forGood
        // Drawn apart, so that the rest of the run is what it was.
        var apart = draw
        let patience = apart.percent(40) ? apart.milliseconds(1...2000) : nil
        func own(_ remitted: @escaping @Sendable (Bank.Remittance) -> Bank.Event) -> EffectRouter<
            Bank.Effect, Bank.Event
        > {
            Self.addQuestions(
                to: Self.addOwn(to: workers, watch, interest, end, remitted: remitted), patience, remitted)
        }
        router = own(Bank.Event.remittanceArrived)
        later = own(Bank.Event.remittanceDelivered)
        sharesStatements = keys.statement != nil
        limitsStatements = statement.limit != nil || statement.limitPerKey != nil
    }

    /// What the coordinator does itself.
    private static func addOwn(
        to workers: EffectRouter<Bank.Effect, Bank.Event>, _ watch: Duration, _ interest: Duration, _ end: LoopEnd,
        remitted: @escaping @Sendable (Bank.Remittance) -> Bank.Event
    ) -> EffectRouter<Bank.Effect, Bank.Event> {
        workers
            .routeCase(Bank.Effect.audit).toEvent { number in .audited(number) }
            .routeCase(Bank.Effect.watch).toTimer(.after(watch)) { id in
                Mistakes.Place.timer.reach(id)
                return .watchFired(id: id)
            }
            .routeCase(Bank.Effect.unwatch).cancels { id, other in
                Mistakes.Place.cancels.reach(id)
                return other == .watch(id)
            }
            .routeCase(Bank.Effect.interest).toTimer(.every(interest)) { name in .interestDue(name) }
            .routeCase(Bank.Effect.endInterest).cancels { name, other in other == .interest(name) }
            .routeCase(Bank.Effect.answer).toSender { events in events }
            .routeCase(Bank.Effect.refuse).refuses { events in "against the rules after \(events) events" }
            .routeCase(Bank.Effect.remit).toLoop { remittance in
                Mistakes.Place.delivery.reach(remittance.id, for: remittance.from)
                return (remittance.to, remitted(remittance))
            } onFailure: { remittance, _ in
                .remittanceReturned(remittance)
            }
            .routeCase(Bank.Effect.close).endsLoop(end)
            .routeCase(Bank.Effect.tellAtEnd).toLoopAtEnd { child in (child, .parentEnded) }
            .routeCase(Bank.Effect.endAtEnd).endsLoopAtEnd { child in child }
            .routeCase(Bank.Effect.letGo).cancels { child, other in
                other == .tellAtEnd(child) || other == .endAtEnd(child)
            }
    }

    /// Loops that ask other loops.
    private static func addQuestions(
        to own: EffectRouter<Bank.Effect, Bank.Event>, _ patience: Duration?,
        _ remitted: @escaping @Sendable (Bank.Remittance) -> Bank.Event
    ) -> EffectRouter<Bank.Effect, Bank.Event> {
        own.routeCase(Bank.Effect.ask).asks(timeout: patience) { remittance in
            Mistakes.Place.delivery.reach(remittance.id, for: remittance.from)
            return (remittance.to, remitted(remittance))
        } answer: { remittance, answer in
            Mistakes.Place.answer.reach(remittance.id, for: remittance.from)
            return .remittanceAnswered(remittance, Bank.RemittanceAnswer(answer))
        }
    }

    /// Whether a letter that failed so was certainly not sent.
    private static func isUnsent(_ failure: EffectFailure) -> Bool {
        switch failure {
        case .timedOut(let timeout, _): timeout == .scheduleToStart
        case .failed(let reason): reason.contains("stamps")
        case .workerLost, .outcomeUnknown: false
        }
    }

    private static func policy(_ vault: EffectLimit, _ draw: inout Chance) -> EffectPolicy {
        var policy = EffectPolicy(
            timeouts: EffectTimeouts(startToClose: draw.milliseconds(300...3000)), retry: retry(&draw),
            priority: draw.pick([0, 0, 0, 1, -1]), keepsDeadLetters: draw.percent(60))
        if draw.percent(30) { policy.limit = vault }
        if draw.percent(10) { policy.timeouts.scheduleToClose = draw.milliseconds(500...6000) }
        if draw.percent(10) { policy.timeouts.scheduleToStart = draw.milliseconds(200...3000) }
        return policy
    }

    /// Each key may have a limit of its own; routes share it, as they share keys.
    private static func limitKeys(of policy: inout EffectPolicy, _ hasKeys: Bool, _ draw: inout Chance) {
        guard hasKeys, draw.percent(40) else { return }
        let rate = EffectLimit.Rate(2, per: .milliseconds(200))
        policy.limitPerKey = EffectLimit("each", concurrency: 1, rate: draw.percent(50) ? rate : nil)
    }

    private static func letterPolicy(_ vault: EffectLimit, _ draw: inout Chance) -> EffectPolicy {
        var policy = policy(vault, &draw)
        policy.delivery = .atMostOnce
        if draw.percent(40) { policy.timeouts.startToClose = nil }
        return policy
    }

    private static func statementPolicy(_ vault: EffectLimit, _ draw: inout Chance) -> EffectPolicy {
        var policy = policy(vault, &draw)
        if draw.percent(30) { policy.timeouts.progress = draw.milliseconds(200...2000) }
        return policy
    }

    private static func retry(_ draw: inout Chance) -> RetryPolicy {
        RetryPolicy(
            attempts: draw.number(1...5), initial: draw.milliseconds(0...300), factor: Double(draw.number(1...3)),
            maximum: draw.milliseconds(100...1500), jitter: draw.pick([0.0, 0.2, 1.0]), onTimeout: draw.percent(50))
    }

    private static func limit(_ draw: inout Chance) -> EffectLimit {
        let rate = EffectLimit.Rate(draw.number(1...4), per: draw.milliseconds(50...500))
        switch draw.number(0...2) {
        case 0: return EffectLimit("vault", concurrency: draw.number(1...3))
        case 1: return EffectLimit("vault", rate: rate)
        default: return EffectLimit("vault", concurrency: draw.number(1...3), rate: rate)
        }
    }
}

/// For whom the bank's effects are, in some runs: the workers are shared out between them.
struct BankKeys {
    var account: (@Sendable (Bank.Booking) -> String)?
    var letter: (@Sendable (String) -> String)?
    var statement: (@Sendable (Bank.StatementRequest) -> String)?
    var archive: (@Sendable (Int) -> String)?

    init(_ draw: inout Chance) {
        guard draw.percent(60) else { return }
        if draw.percent(80) {
            account = { booking in
                Mistakes.Place.plan.reach(booking.id)
                return "account \(booking.from)"
            }
        }
        if draw.percent(50) {
            letter = { id in
                Mistakes.Place.plan.reach(id)
                return "letter \(id.last ?? " ")"
            }
        }
        if draw.percent(60) { statement = { request in "account \(request.lines)" } }
        if draw.percent(60) { archive = { number in "archive \(number % 2)" } }
    }
}

extension Bank.RemittanceAnswer {
    /// What an answer says to the bank.
    init(_ answer: LoopAnswer<Int>) {
        self =
            switch answer {
            case .answer(let events): .taken(events)
            case .nothing: .unknown  // an operator dropped it
            case .refused: .refused
            case .failed(.failed): .returned
            case .failed(.timedOut), .failed(.workerLost), .failed(.outcomeUnknown): .unknown
            }
    }
}
