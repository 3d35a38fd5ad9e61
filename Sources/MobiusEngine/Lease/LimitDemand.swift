public import MobiusJournal

/// The demand of a shard for a limit that holds for the whole cluster, as reported by its ``CoordinatorMachine``.
public struct LimitDemand: Equatable, Sendable {
    /// The limit.
    public var key: LimitKey
    /// The units of all shards together.
    public var total: Int
    /// The period of a rate; zero for others.
    public var period: Duration
    /// The units that the machine goes by.
    public var units: Int
    /// The units that are in use or may be at any moment: those that it goes by, or what runs, if that is more.
    public var held: Int
    /// The units that it could use.
    public var wanted: Int
    /// Whether an effect began under the limit since the units last became more.
    public var hasBegun: Bool

    /// Describes a demand.
    public init(
        _ key: LimitKey, total: Int, period: Duration = .zero, units: Int, held: Int, wanted: Int, hasBegun: Bool
    ) {
        self.key = key
        self.total = total
        self.period = period
        self.units = units
        self.held = held
        self.wanted = wanted
        self.hasBegun = hasBegun
    }

    /// Whether it calls for a look at the shares soon: an effect begins to wait for a unit, or one can be given up.
    package func isPressing(since before: LimitDemand?) -> Bool {
        guard let before else { return wanted > 0 }
        return wanted > units && before.wanted <= before.units || held < before.held
    }
}

/// The units of a limit by which a ``CoordinatorMachine`` goes from now on.
public struct LimitGrant: Equatable, Sendable {
    /// The limit.
    public var key: LimitKey
    /// The units.
    public var units: Int
    /// Whether the bucket of a rate has a token for each unit that is new.
    public var isFull: Bool

    /// Describes a grant.
    public init(_ key: LimitKey, units: Int, isFull: Bool = false) {
        self.key = key
        self.units = units
        self.isFull = isFull
    }
}
