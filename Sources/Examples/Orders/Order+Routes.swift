public import MobiusCore
public import MobiusProgram

extension Order: FleetProgram {
    /// Loops such as `order/4711`.
    public static let kind: LoopKind = "order"

    /// The routes with the usual times.
    public static let routes: EffectRouter<Effect, Event> = routes()

    /// The routes of the effects: the pools `stock`, `payments` and `shipping`, timers, the sender, and loops of the other programs.
    ///
    /// - Parameters:
    ///   - paymentLimit: The time that a payment may take, with its time in the queue: 5 minutes.
    ///   - retention: The time that an order stays readable after its end: 30 days.
    public static func routes(
        paymentLimit: Duration = .seconds(300), retention: Duration = .seconds(30 * 86_400)
    ) -> EffectRouter<Effect, Event> {
        let stock = EffectRouter<Effect, Event>()
            .routeCase(Effect.reserve).toWorkers("stock", policy: .step) { _, failure in
                .failed(.reserve, failure.description)
            }
            .routeCase(Effect.release).toWorkers("stock", policy: .undoing) { _, failure in
                .failed(.release, failure.description)
            }
        // Customers take turns, and one who orders a thousand times at once occupies two payment workers at most.
        let payments =
            stock
            .routeCase(Effect.charge).toWorkers(
                "payments", policy: .payment, key: { (order: Purchase) in order.request.customer }
            ) { _, failure in .failed(.charge, failure.description) }
            .routeCase(Effect.refund).toWorkers(
                "payments", policy: .undoing, key: { (order: Purchase) in order.request.customer }
            ) { _, failure in .failed(.refund, failure.description) }
        let shipping =
            payments
            .routeCase(Effect.ship).toWorkers("shipping", policy: .step) { _, failure in
                .failed(.ship, failure.description)
            }
            .routeCase(Effect.recall).toWorkers("shipping", policy: .undoing) { _, failure in
                .failed(.recall, failure.description)
            }
        // example: others
        let timers =
            shipping
            .routeCase(Effect.limitPayment).toTimer(.after(paymentLimit)) { .paymentTimedOut }
            .routeCase(Effect.retireLater).toTimer(.after(retention)) { .retired }
            .routeCase(Effect.withdraw).cancels { _, underWay in underWay.canBeWithdrawn }
        return
            timers
            .routeCase(Effect.answer).toSender { receipt in receipt }
            .routeCase(Effect.refuse).refuses { reason in reason }
            .routeCase(Effect.tell).toLoop { customer, event in (Address<Customer>(customer), event) }
            .routeCase(Effect.report).toLoop { outcome in (Address<Statistics>.only, .finished(outcome)) }
            .routeCase(Effect.end).endsLoop()
        // end
    }
}

extension Order.Effect {
    /// Whether `withdraw` cancels it.
    fileprivate var canBeWithdrawn: Bool {
        switch self {
        case .reserve, .charge, .limitPayment: true
        case .release, .refund, .ship, .recall, .withdraw, .retireLater, .answer, .refuse, .tell, .report, .end: false
        }
    }
}

extension Statistics: FleetProgram {
    /// The loop `statistics`.
    public static let kind: LoopKind = "statistics"
    /// No other loop of the kind.
    public static let maximumLoops: Int? = 1
}

extension Customer: FleetProgram {
    /// Loops such as `customer/Ada`.
    public static let kind: LoopKind = "customer"
}

// example: policies
extension EffectPolicy {
    /// A step forward: after five attempts it is undone.
    ///
    /// So it leaves no dead letter, whose retry would come too late.
    fileprivate static let step = EffectPolicy(
        timeouts: EffectTimeouts(startToClose: .seconds(30)), retry: RetryPolicy(onTimeout: true),
        keepsDeadLetters: false)

    /// A payment is a step, and there are at most two at a time for each customer.
    fileprivate static let payment = EffectPolicy(
        timeouts: EffectTimeouts(startToClose: .seconds(30)), retry: RetryPolicy(onTimeout: true),
        limitPerKey: EffectLimit("payments of a customer", concurrency: 2), keepsDeadLetters: false)

    /// A step back must succeed: it is tried for a day, before steps forward, and then an operator has to look.
    fileprivate static let undoing = EffectPolicy(
        timeouts: EffectTimeouts(startToClose: .seconds(30)), retry: RetryPolicy(attempts: 1500, onTimeout: true),
        priority: 1)
}
// end
