import MobiusCore

/// An order and how far it is: the model of an order's loop.
///
/// Three rules make it safe. A step is asked for only after the one before it was confirmed. What undoes a step also
/// prevents it, so it may be asked for when nobody knows whether the step was taken. And an answer that comes too late
/// for the current stage changes nothing.
public struct Saga: Codable, Sendable, Equatable {
    /// What is ordered.
    public var order: Purchase
    /// The stage of the order.
    public var stage: Stage

    /// Describes an order at this stage.
    public init(_ order: Purchase, _ stage: Stage) {
        self.order = order
        self.stage = stage
    }

    typealias Decision = Next<Order.Model, Order.Effect>

    /// Begins with the reservation, if the request is one that can be fulfilled.
    static func begin(_ request: Request, _ number: Substring) -> Decision {
        let (order, objection) = Catalog.purchase(for: request)
        guard let order else { return .dispatchEffects([.refuse(objection)]) }
        let begun = Order.Effect.tell(customer: request.customer, .began(String(number)))
        return .next(
            .order(Saga(order, .reserving)), effects: [.answer(Receipt(amount: order.amount)), .reserve(order), begun])
    }

    // example: decisions
    /// Decides what follows an event.
    func next(_ event: Order.Event, _ number: Substring) -> Decision {
        switch (event, stage) {
        // The way of most orders.
        case (.reserved, .reserving): go(to: .charging, [.charge(order), .limitPayment])
        case (.charged, .charging): go(to: .shipping, [.withdraw, .ship(order)])
        case (.shipped(let parcel), .shipping), (.shipped(let parcel), .recalling): deliver(parcel, number)

        // A step is refused: it was certainly not taken.
        case (.outOfStock, .reserving): close(.outOfStock, number)
        case (.declined(let reason), .charging): undo(.declined(reason), paid: false)
        case (.undeliverable(let reason), .shipping): undo(.undeliverable(reason), paid: true)

        // Nobody knows whether a step was taken: undo it, too.
        case (.failed(.reserve, let reason), .reserving): undo(.failed(.reserve, reason), paid: false)
        case (.failed(.charge, let reason), .charging): undo(.failed(.charge, reason), paid: true)
        case (.paymentTimedOut, .charging): undo(.paymentTimedOut, paid: true)
        case (.failed(.ship, let reason), .shipping): go(to: .recalling(reason), [.recall(order)])
        case (.recalled, .recalling(let reason)): undo(.failed(.ship, reason), paid: true)

        // The customer may cancel until the parcel is being sent.
        case (.cancelled, .reserving): undo(.cancelled, paid: false)
        case (.cancelled, .charging): undo(.cancelled, paid: true)

        // Undoing.
        case (.released, .undoing(var undoing)):
            finish(&undoing, number) { $0.awaitsRelease = false }
        case (.refunded, .undoing(var undoing)):
            finish(&undoing, number) { $0.awaitsRefund = false }
        case (.failed(.release, let reason), .undoing(var undoing)),
            (.failed(.refund, let reason), .undoing(var undoing)):
            finish(&undoing, number) { $0.trouble = reason }
        case (.failed(.recall, let reason), .recalling): go(to: .recalling(reason), [])

        // The end.
        case (.retired, .delivered), (.retired, .closed): .dispatchEffects([.end])

        default: without(event)
        }
    }
    // end

    /// Returns the decision about an event that changes nothing at this stage.
    private func without(_ event: Order.Event) -> Decision {
        switch event {
        case .placed: refuse("This order exists already: take another number.")
        case .cancelled: refuse("It is too late to cancel: the parcel is being sent, or the order has ended.")
        // Answers to what was given up meanwhile.
        case .reserved, .outOfStock, .released, .charged, .declined, .refunded, .shipped, .undeliverable, .recalled,
            .failed, .paymentTimedOut, .retired:
            .noChange
        }
    }

    // MARK: - Ways

    private func go(to stage: Stage, _ effects: [Order.Effect]) -> Decision {
        .next(.order(Saga(order, stage)), effects: effects)
    }

    private func refuse(_ reason: String) -> Decision { .dispatchEffects([.refuse(reason)]) }

    /// Gives up what is under way, and undoes what was or may have been done.
    private func undo(_ ending: Ending, paid mayBePaid: Bool) -> Decision {
        go(
            to: .undoing(Undoing(ending, awaitsRefund: mayBePaid)),
            [.withdraw, .release(order)] + (mayBePaid ? [.refund(order)] : []))
    }

    /// Takes note of a step that was undone, or was not, and closes the order after the last one.
    private func finish(_ undoing: inout Undoing, _ number: Substring, _ change: (inout Undoing) -> Void) -> Decision {
        change(&undoing)
        let isDone = !undoing.awaitsRelease && !undoing.awaitsRefund
        return isDone ? close(undoing.ending, number) : go(to: .undoing(undoing), [])
    }

    private func deliver(_ parcel: Parcel, _ number: Substring) -> Decision {
        end(as: .delivered(parcel), .sold(day: parcel.day, amount: order.amount), number)
    }

    private func close(_ ending: Ending, _ number: Substring) -> Decision {
        end(as: .closed(ending), .notSold, number)
    }

    private func end(as stage: Stage, _ outcome: Outcome, _ number: Substring) -> Decision {
        let told = Order.Effect.tell(customer: order.request.customer, .ended(String(number), outcome))
        return go(to: stage, [.report(outcome), told, .retireLater])
    }
}
