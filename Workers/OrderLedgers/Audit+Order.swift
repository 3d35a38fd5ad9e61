import Orders

extension Audit {
    /// An order is at exactly one end, and the ledgers have what that end means, once, in the order's own accounts.
    func complaints(about saga: Saga, in loop: String, _ entries: OrderEntries) -> [String] {
        let asked: Compensations
        switch saga.stage {
        case .delivered: asked = .none
        case .closed(let ending): asked = Compensations(of: ending)
        default: return ["\(loop) has no end: it is \(saga.stage)."]
        }
        return amounts(of: saga, in: loop, entries) + repetitions(in: loop, entries)
            + compensations(of: saga, in: loop, asked, entries) + misplaced(saga, in: loop, entries)
    }

    /// Returns a complaint for each account where the rest of all deeds is neither the whole order nor nothing.
    private func amounts(of saga: Saga, in loop: String, _ entries: OrderEntries) -> [String] {
        let isDelivered = if case .delivered = saga.stage { true } else { false }
        let pieces = isDelivered ? saga.order.request.quantity : 0
        let wanted = [
            ("pieces set aside", pieces, Self.net(entries.stock, .reserved, .released)),
            ("cents paid", isDelivered ? saga.order.amount : 0, Self.net(entries.payments, .charged, .refunded)),
            ("pieces shipped", pieces, Self.net(entries.shipping, .shipped, nil)),
        ]
        return wanted.filter { $0.1 != $0.2 }.map { what, wanted, found in
            "\(loop), which is \(saga.stage), has \(found) \(what) instead of \(wanted)."
        }
    }

    /// Deeds that happen once for an order at most.
    private func repetitions(in loop: String, _ entries: OrderEntries) -> [String] {
        let deeds: [Deed] = [.reserved, .released, .charged, .refunded, .shipped, .recalled]
        return deeds.compactMap { deed in
            let times = entries.all.count { $0.deed == deed }
            return times > 1 ? "\(loop) was \(deed.rawValue) \(times) times." : nil
        }
    }

    /// Compensations that the order's end does not have, and those without which a late step could still be taken.
    private func compensations(
        of saga: Saga, in loop: String, _ asked: Compensations, _ entries: OrderEntries
    ) -> [String] {
        Compensations.all.compactMap { deed in
            let isThere = entries.all.contains { $0.deed == deed }
            if isThere, !asked.allowed.contains(deed) {
                return "\(loop), which is \(saga.stage), was \(deed.rawValue), which nothing asked for."
            }
            if !isThere, asked.needed.contains(deed) {
                return "\(loop), which is \(saga.stage), was never \(deed.rawValue)."
            }
            return nil
        }
    }

    /// Entries in accounts of others, and deeds in ledgers that do not do them.
    private func misplaced(_ saga: Saga, in loop: String, _ entries: OrderEntries) -> [String] {
        let (article, customer) = (saga.order.request.article, saga.order.request.customer)
        let ledgers: [(name: String, entries: [Entry], account: String, deeds: Set<Deed>)] = [
            ("stock", entries.stock, article, [.reserved, .released, .refused]),
            ("payments", entries.payments, customer, [.charged, .refunded, .refused]),
            ("shipping", entries.shipping, article, [.shipped, .recalled, .refused]),
        ]
        return ledgers.flatMap { ledger in
            ledger.entries.compactMap { entry in
                guard ledger.deeds.contains(entry.deed) else {
                    return "\(loop) was \(entry.deed.rawValue) in the ledger of \(ledger.name)."
                }
                return entry.name == ledger.account
                    ? nil
                    : "\(loop) was \(entry.deed.rawValue) under \(entry.name) instead of \(ledger.account)."
            }
        }
    }
}

/// The entries of one order.
struct OrderEntries {
    var stock: [Entry] = [], payments: [Entry] = [], shipping: [Entry] = []

    /// Those of all ledgers.
    var all: [Entry] { stock + payments + shipping }
}

/// The deeds that undo the steps of an order, by its end.
private struct Compensations {
    static let all: [Deed] = [.released, .refunded, .recalled]
    static let none = Compensations(needed: [], allowed: [])

    /// Those that were asked for, and those that may have been.
    let needed: Set<Deed>, allowed: Set<Deed>

    private init(needed: Set<Deed>, allowed: Set<Deed>) {
        (self.needed, self.allowed) = (needed, allowed)
    }

    init(of ending: Ending) {
        switch ending {
        case .outOfStock: self = .none
        // Before the payment or during it.
        case .cancelled: self.init(needed: [.released], allowed: [.released, .refunded])
        case .declined, .failed(.reserve, _): self.init(needed: [.released], allowed: [.released])
        case .failed(.ship, _): self.init(needed: Set(Self.all), allowed: Set(Self.all))
        case .undeliverable, .paymentTimedOut, .failed:
            self.init(needed: [.released, .refunded], allowed: [.released, .refunded])
        }
    }
}
