public import MobiusProgram

/// What orders are found by: `mobius loops order/ --where 'stage = shipping and total > 10000' --sort -total`.
extension Order: FindableProgram {
    /// Returns stage, customer, city, price in cents, and the trouble of one that does not go on; nothing before an order was placed.
    public static func facts(_ model: Model) -> Facts {
        guard case .order(let saga) = model else { return [:] }
        let request = saga.order.request
        return [
            "stage": saga.stage.name, "customer": request.customer, "city": request.city, "total": saga.order.amount,
            "trouble": saga.stage.trouble,
        ]
    }
}

extension Stage {
    /// The name of the case, without what it carries.
    fileprivate var name: String {
        switch self {
        case .reserving: "reserving"
        case .charging: "charging"
        case .shipping: "shipping"
        case .recalling: "recalling"
        case .undoing: "undoing"
        case .delivered: "delivered"
        case .closed: "closed"
        }
    }

    /// What went wrong, if somebody should look at it.
    fileprivate var trouble: String? {
        if case .undoing(let undoing) = self { undoing.trouble } else { nil }
    }
}
