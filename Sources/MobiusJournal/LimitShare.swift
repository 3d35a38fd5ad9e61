/// The resource of a limit that is shared out between the shards of a cluster.
public enum LimitResource: Int64, Hashable, Comparable, Sendable, CaseIterable {
    /// A unit is an effect that may run at a time.
    case concurrency = 0
    /// A unit is an attempt that may begin in the rate's period.
    case rate = 1
    /// The limit is not shared out, but holds in each shard by itself: a unit says that the shard uses it.
    case perShard = 2

    /// Orders by raw value.
    public static func < (lhs: LimitResource, rhs: LimitResource) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// One resource of a limit that holds for a whole cluster.
public struct LimitKey: Hashable, Comparable, Sendable {
    /// The limit's name.
    public var name: String
    /// Its resource.
    public var resource: LimitResource

    /// Names a resource of a limit.
    public init(_ name: String, _ resource: LimitResource) {
        self.name = name
        self.resource = resource
    }

    /// Orders by name, then by resource.
    public static func < (lhs: LimitKey, rhs: LimitKey) -> Bool {
        (lhs.name, lhs.resource) < (rhs.name, rhs.resource)
    }
}

/// A shard's share of a limit, as it is in the database.
public struct LimitShare: Hashable, Sendable {
    /// The limit.
    public var key: LimitKey
    /// The shard.
    public var shard: UInt32
    /// The units that the shard has.
    public var units: Int
    /// The units that it could use.
    public var wanted: Int
    /// A number that each claim of the shard changes; never 0.
    public var change: Int64
    /// The time for which it has had as many units.
    public var age: Duration
    /// The time since its last claim.
    public var silence: Duration

    /// Describes a share; units are at least 0, and at most a trillion.
    public init(
        _ key: LimitKey, shard: UInt32, units: Int, wanted: Int, change: Int64, age: Duration, silence: Duration
    ) {
        self.key = key
        self.shard = shard
        self.units = Self.clamp(units)
        self.wanted = Self.clamp(wanted)
        self.change = change
        self.age = age
        self.silence = silence
    }

    /// The units as numbers of which thousands can be added.
    public static func clamp(_ units: Int) -> Int { max(0, min(units, 1 << 40)) }
}

/// A shard's claim to a share of a limit.
public struct LimitClaim: Hashable, Sendable {
    /// The limit.
    public var key: LimitKey
    /// The units of all shards together.
    public var total: Int
    /// The period of a rate, whose unit that one shard gives up is of use to another after that time; zero for others.
    public var period: Duration
    /// The units that the shard has, as it was read; 0 when it had no share.
    public var seen: Int
    /// The number of its last claim, as it was read; 0 when it had no share.
    public var change: Int64
    /// The units that it wants.
    public var units: Int
    /// The units that it could use.
    public var wanted: Int

    /// Describes a claim.
    public init(
        _ key: LimitKey, total: Int, period: Duration = .zero, seen: Int, change: Int64, units: Int, wanted: Int
    ) {
        self.key = key
        self.total = total
        self.period = period
        self.seen = seen
        self.change = change
        self.units = units
        self.wanted = wanted
    }
}

/// The outcome of a ``LimitClaim``.
public enum LimitOutcome: Hashable, Sendable {
    /// Nothing was changed: the shares are not as they were read, another shard's claim was under way, or the shard has another
    /// owner.
    case refused
    /// The share is on disk; `isRested` when no shard has given units of the limit up for the rate's period.
    case granted(isRested: Bool)
}
