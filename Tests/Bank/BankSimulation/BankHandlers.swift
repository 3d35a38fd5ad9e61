package import Bank
package import FleetSimulation
package import MobiusTestKit

/// How bank and post workers, and the coordinator itself, carry out the bank's effects: well, slowly, badly or never.
package struct BankHandlers {
    /// How many of a hundred handlers do something odd.
    package var oddness: Int
    /// The largest payload that may be sent, in bytes.
    package var maximumPayload: Int
    package let ledgers: Ledgers

    package init(oddness: Int, maximumPayload: Int, ledgers: Ledgers) {
        self.oddness = oddness
        self.maximumPayload = maximumPayload
        self.ledgers = ledgers
    }

    package func handle(
        _ effect: Bank.Effect, _ call: HandlerCall, _ chance: inout Chance
    ) -> [HandlerStep<Bank.Event>] {
        switch effect {
        case .book(let booking): book(booking, call, &chance)
        case .letter(let id): letter(id, call, &chance)
        case .statement(let request): statement(request, &chance)
        case .audit(let number): [think(&chance), .finish(.audited(number))]
        case .archive: oddly(&chance) ?? [think(&chance), .finish(nil)]
        case .watch, .unwatch, .interest, .endInterest, .answer, .refuse, .remit, .ask, .close, .tellAtEnd,
            .endAtEnd, .letGo:
            [.finish(nil)]  // the coordinator's own
        }
    }

    private func book(
        _ booking: Bank.Booking, _ call: HandlerCall, _ chance: inout Chance
    ) -> [HandlerStep<Bank.Event>] {
        let thought = think(&chance)
        guard !booking.isForbidden else { return [thought, .finish(.declined(id: booking.id, hop: booking.hop))] }
        let deed = HandlerStep<Bank.Event>.act { [ledgers] in
            ledgers.write(.booking(booking), under: call.key, of: call.process)
        }
        if let odd = oddly(&chance) { return chance.percent(50) ? [thought, deed] + odd : [thought] + odd }
        return [thought, deed, think(&chance), .finish(.booked(id: booking.id, hop: booking.hop))]
    }

    private func letter(_ id: String, _ call: HandlerCall, _ chance: inout Chance) -> [HandlerStep<Bank.Event>] {
        let thought = think(&chance)
        if chance.percent(oddness / 2) { return [thought, .fail(retryable: false, delay: 0, reason: "no stamps")] }
        return [
            thought, .act { [ledgers] in ledgers.write(.letter(id), under: call.key, of: call.process) },
            think(&chance), .finish(.letterEnded(id: id, .sent)),
        ]
    }

    private func statement(
        _ request: Bank.StatementRequest, _ chance: inout Chance
    ) -> [HandlerStep<Bank.Event>] {
        var steps: [HandlerStep<Bank.Event>] = [think(&chance)]
        for line in 1...max(1, request.lines) where line <= request.lines {
            let event = Bank.Event.statementLine(id: request.id, line)
            if line == request.lines, chance.percent(50) { return steps + [.finish(event)] }
            if chance.percent(30) { steps.append(.progress) }
            steps.append(.send(event))
            if chance.percent(50) { steps.append(think(&chance)) }
            if chance.percent(oddness / 2) { steps.append(.sendUndecodable(bytes: 4)) }
            if let odd = oddly(&chance) { return steps + odd }
        }
        return steps + [.finish(nil)]
    }

    /// What a handler does that does not do its work.
    private func oddly(_ chance: inout Chance) -> [HandlerStep<Bank.Event>]? {
        guard chance.percent(oddness) else { return nil }
        switch chance.number(0...7) {
        case 0...3:
            let delay = UInt32(chance.pick([0, 0, 20, 150]))
            return [.fail(retryable: true, delay: delay, reason: "the vault is locked")]
        case 4: return [.fail(retryable: false, delay: 0, reason: "the vault is on fire")]
        case 5: return [.finishWithUndecodable(bytes: 4)]
        case 6: return [.finishWithUndecodable(bytes: maximumPayload + 1)]
        default: return [.hang]
        }
    }

    private func think(_ chance: inout Chance) -> HandlerStep<Bank.Event> {
        switch chance.number(1...100) {
        case 1: .wait(chance.milliseconds(900...2500))
        case 2...12: .wait(chance.milliseconds(50...400))
        case 13...30: .wait(.zero)
        default: .wait(chance.microseconds(100...30_000))
        }
    }
}
