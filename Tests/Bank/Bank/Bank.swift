public import MobiusCore

/// A small bank, for simulations and for chaos among real processes: every wrong event, lost or doubled, shows.
///
/// Customers ask from outside; bank workers book transfers in ledgers of their own, under the idempotency key of the
/// effect; post workers send letters, at most once each. Money that leaves an account is on its way until the booking
/// is known, so the sum of all money never changes. ``check(_:)`` says what is wrong with a model by itself,
/// ``reconcile(_:with:)`` what its workers' ledgers contradict.
public enum Bank: InPlaceLoopProgram {
    /// A bank without customers.
    public static func initiate() -> First<Model, Effect> {
        First(model: Model())
    }

    /// Does what the event says, and notes every event that must not have come as a surprise.
    public static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        switch event {
        case .accountOpened(let account, let balance): open(account, balance, &model)
        case .transferRequested(let request): begin(request, &model)
        case .booked(let id, let hop): booked(id, hop, &model)
        case .declined(let id, let hop): ended(id, hop, .declined, &model)
        case .unclear(let id, let hop): ended(id, hop, .unclear, &model)
        case .letterEnded(let id, let end): letterEnded(id, end, &model)
        case .statementRequested(let request): begin(request, &model)
        case .statementLine(let id, let line): receive(line, of: id, &model)
        case .statementFailed(let id): statementFailed(id, &model)
        case .auditRequested(let number): beginAudit(number, &model)
        case .audited(let number): endAudit(number, &model)
        case .archiveFailed(let number): archiveFailed(number, &model)
        case .watchFired(let id): watchFired(id, &model)
        case .interestAgreed(let name): agree(name, &model)
        case .interestDue(let name): pay(name, &model)
        case .interestEnded(let name): endInterest(name, &model)
        case .remittanceRequested(let remittance): send(remittance, &model)
        case .remittanceArrived(let remittance), .remittanceDelivered(let remittance): receive(remittance, &model)
        case .remittanceReturned(let remittance): takeBack(remittance, &model)
        case .remittanceAnswered(let remittance, let answer): answered(remittance, answer, &model)
        case .closed: close(&model)
        case .childTaken(let child, let ends): take(child, ends: ends, &model)
        case .childLetGo(let child): letGo(child, &model)
        case .parentEnded: follow(&model)
        }
    }
}
