public import MobiusCore

/// An order of a shop as a durable loop, such as `order/4711`.
///
/// An order is a saga. Its steps run in three pools of workers: goods are reserved, the payment is charged, the parcel is
/// shipped. When a step fails, or the customer cancels in time, the steps before it are undone. It tells its ``Customer`` when it
/// begins and how it ends, and its end to the ``Statistics``.
public enum Order: ContextLoopProgram {
    /// The state of an order.
    public enum Model: Codable, Sendable, Equatable {
        /// Nothing was ordered yet.
        case empty
        /// An order and how far it is.
        case order(Saga)
    }

    /// Everything that can happen to an order.
    public enum Event: Codable, Sendable, Equatable {
        // From customers.
        /// A customer orders something.
        case placed(Request)
        /// The customer has changed their mind.
        case cancelled

        // From the workers of the three pools.
        /// The goods are set aside.
        case reserved
        /// There are not enough goods.
        case outOfStock
        /// The goods are back in stock, or were never taken out of it and never will be.
        case released
        /// The payment was made.
        case charged
        /// The payment was refused, and why.
        case declined(String)
        /// The payment was returned, or was never made and never will be.
        case refunded
        /// The parcel is on its way.
        case shipped(Parcel)
        /// The parcel cannot be sent there, and why.
        case undeliverable(String)
        /// The parcel has not left, and never will.
        case recalled

        // From the routes.
        /// No worker could do this step, and why; it may have been done nevertheless.
        case failed(Step, String)
        /// The payment has taken too long.
        case paymentTimedOut
        /// The order has been at its end for so long that it may be forgotten.
        case retired
    }

    /// Everything that an order asks for.
    public enum Effect: Codable, Sendable, Equatable {
        // The steps of an order, each followed by what undoes it.
        /// Set the goods aside.
        case reserve(Purchase)
        /// Undo the reservation, and prevent it if it was not made yet.
        case release(Purchase)
        /// Charge the customer.
        case charge(Purchase)
        /// Return the payment, and prevent it if it was not made yet.
        case refund(Purchase)
        /// Send the parcel.
        case ship(Purchase)
        /// Keep the parcel from leaving; the answer is `shipped` if it already has.
        case recall(Purchase)

        // Time.
        /// Report when the payment takes too long.
        case limitPayment
        /// Cancel the reservation, the payment and its time limit, as far as they have not ended.
        case withdraw
        /// Report when the order may be forgotten.
        case retireLater

        // Others who want to know.
        /// Answer the customer who placed the order.
        case answer(Receipt)
        /// Tell the sender of the event why it changes nothing.
        case refuse(String)
        /// Tell the customer how the order is going.
        case tell(customer: String, Customer.Event)
        /// Tell the statistics how the order ended.
        case report(Outcome)
        /// End the loop.
        case end
    }

    /// Every order begins empty.
    public static func initiate(_ context: LoopContext) -> First<Model, Effect> {
        First(model: .empty)
    }

    /// Decides what follows an event; the key of the loop is the order's number.
    public static func update(_ model: Model, _ event: Event, _ context: LoopContext) -> Next<Model, Effect> {
        switch (model, event) {
        case (.empty, .placed(let request)): Saga.begin(request, context.key)
        case (.empty, _): .dispatchEffects([.refuse("There is no such order.")])
        case (.order(let saga), _): saga.next(event, context.key)
        }
    }
}
