import Orders

/// What one customer of the load does: decided by the order's number alone, so a load that is repeated is the same.
struct PlannedOrder: Sendable, Hashable {
    /// What the customer does after placing the order.
    enum Habit: Sendable, Hashable {
        /// Waits for the end.
        case patient
        /// Cancels at once, which may come too late.
        case fickle
        /// Sends the same order twice under the same key, as after a lost answer.
        case forgetful
        /// Orders what the shop does not sell.
        case mistaken
    }

    /// The number in the name of the loop.
    let number: Int

    /// The loop: `order/4711`.
    var loop: String { "order/\(number)" }

    /// Of a hundred customers 85 are patient, 8 are fickle, 5 forgetful and 2 mistaken.
    var habit: Habit {
        switch draw(1) % 100 {
        case 0..<85: .patient
        case 85..<93: .fickle
        case 93..<98: .forgetful
        default: .mistaken
        }
    }

    /// One order in twenty goes to a city without parcels; one in fifty is for a hundred kettles, too many for a usual credit.
    var request: Request {
        let articles = Catalog.prices.keys.sorted()
        let isLarge = draw(2) % 50 == 0
        return Request(
            customer: "customer-\(draw(3) % 1_000)",
            article: habit == .mistaken
                ? "unicorn" : isLarge ? "kettle" : articles[Int(draw(4) % UInt64(articles.count))],
            quantity: isLarge ? 100 : 1 + Int(draw(5) % 3), city: draw(6) % 20 == 0 ? "Atlantis" : "Bergen")
    }

    /// What the shop has to answer: the price, or nothing for what it does not sell.
    var price: Int? { Catalog.prices[request.article].map { $0 * request.quantity } }

    /// A number for this order and purpose: SplitMix64 (Steele, Lea, Flood 2014) of both.
    private func draw(_ purpose: UInt64) -> UInt64 {
        var bits = (UInt64(truncatingIfNeeded: number) &* 8 &+ purpose) &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
