/// A request for loops that are found by their facts; see ``ClientRequest/find(_:)``.
public struct FactListing: Hashable, Sendable {
    /// The text that their names begin with; with several programs, the kind of the loops at least.
    public var prefix: String
    /// A condition, as ``FactQuery`` reads it; `nil` for all loops that have facts.
    public var condition: String?
    /// The order, as ``FactSort`` reads it; `nil` for that of their names' bytes.
    public var sort: String?
    /// The state that they are in; `nil` for any.
    public var state: LoopSummary.State?
    /// The place behind which the page begins; `nil` for the first page.
    public var after: FactPlace?
    /// The largest number of loops, 0 for a full page.
    public var limit: UInt32

    /// Asks for loops.
    public init(
        prefix: String = "", condition: String? = nil, sort: String? = nil, state: LoopSummary.State? = nil,
        after: FactPlace? = nil, limit: UInt32 = 0
    ) {
        (self.prefix, self.condition, self.sort, self.state) = (prefix, condition, sort, state)
        (self.after, self.limit) = (after, limit)
    }
}

/// A page of loops that were found by their facts.
public struct FoundLoops: Hashable, Sendable, Codable {
    /// The loops in the order that was asked for, with their facts.
    public var loops: [LoopSummary]
    /// The place of each of them in that order.
    public var places: [FactPlace]
    /// Further loops may follow behind this place, none when it is `nil`.
    ///
    /// A page may be short, or empty, and not be the last: a coordinator reads a bounded part of an index for each.
    public var next: FactPlace?
    /// Whether the facts of all loops are those of this build of the program; after an upgrade they are computed anew in the
    /// background.
    public var isComplete: Bool

    /// Makes a page.
    public init(loops: [LoopSummary], places: [FactPlace], next: FactPlace?, isComplete: Bool) {
        (self.loops, self.places, self.next, self.isComplete) = (loops, places, next, isComplete)
    }
}
