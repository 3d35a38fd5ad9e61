public import MobiusCore

/// A shop's orders as durable loops: each order is a loop of its own, such as `order/4711`.
///
/// An order is a saga. Its steps run in three pools of workers: goods are reserved, the payment is charged, the parcel is
/// shipped. When a step fails, or the customer cancels in time, the steps before it are undone. The loop `statistics`
/// counts what became of all orders.
public enum Orders: LoopProgram {
    /// The loop that counts finished orders.
    public static let statisticsLoop = "statistics"

    /// The state of one loop: its first event decides whether it is an order or the statistics.
    public enum Model: Codable, Sendable, Equatable {
        /// Nothing has happened yet.
        case empty
        /// An order and how far it is.
        case order(Saga)
        /// The counts of all finished orders.
        case statistics(Statistics)
    }

    /// Everything that can happen.
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
        /// An order has come to its end: an event of the statistics.
        case finished(Outcome)
        /// The order has been at its end for so long that it may be forgotten.
        case retired
    }

    /// Everything that the loops ask for.
    public enum Effect: Codable, Sendable, Equatable {
        // The steps of an order, each followed by what undoes it.
        /// Set the goods aside.
        case reserve(Order)
        /// Undo the reservation, and prevent it if it was not made yet.
        case release(Order)
        /// Charge the customer.
        case charge(Order)
        /// Return the payment, and prevent it if it was not made yet.
        case refund(Order)
        /// Send the parcel.
        case ship(Order)
        /// Keep the parcel from leaving; the answer is `shipped` if it already has.
        case recall(Order)

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
        /// Tell the statistics how the order ended.
        case report(Outcome)
        /// End the loop.
        case end
    }

    /// Every loop begins empty.
    public static func initiate() -> First<Model, Effect> {
        First(model: .empty)
    }

    /// Decides by the kind of loop.
    public static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        switch (model, event) {
        case (.empty, .placed(let request)): Saga.begin(request)
        case (.empty, .finished(let outcome)): .next(.statistics(Statistics().adding(outcome)))
        case (.statistics(let statistics), .finished(let outcome)): .next(.statistics(statistics.adding(outcome)))
        case (.order(let saga), _): saga.next(event)
        case (.empty, _): .dispatchEffects([.refuse("There is no such order.")])
        case (.statistics, _): .dispatchEffects([.refuse("This loop is no order: it counts orders.")])
        }
    }
}
