public import MobiusProgram

// Orders and statistics were one program once, whose model and events were those of either. Its journals go on.

extension Order.Model: PayloadEvolution {
    /// Read as before, under its former name.
    public static let versions = PayloadVersions(
        "order.model", formerly: "Orders.Orders.Model", startingWith: Self.self)
}

extension Order.Effect: PayloadEvolution {
    /// Read as before, under its former name.
    public static let versions = PayloadVersions(
        "order.effect", formerly: "Orders.Orders.Effect", startingWith: Self.self)
}

extension Order.Event: PayloadEvolution {
    /// Written under its former name, too, which coordinators of the one program read: so workers can be replaced first.
    public static let versions = PayloadVersions("Orders.Orders.Event", startingWith: Self.self)
}

// example: statistics
extension Statistics: PayloadEvolution {
    private enum Former: Codable {
        case empty
        case statistics(Statistics)
    }

    /// Unwrapped from what was the model of either.
    public static let versions = PayloadVersions(
        "statistics.model", formerly: "Orders.Orders.Model", startingWith: Former.self
    ).then(Statistics.self) { former in
        switch former {
        case .empty: Statistics()
        case .statistics(let statistics): statistics
        }
    }
}
// end

extension Statistics.Event: PayloadEvolution {
    /// Read as before, under its former name.
    public static let versions = PayloadVersions(
        "statistics.event", formerly: "Orders.Orders.Event", startingWith: Self.self)
}
