public import MobiusWire

/// Which event `update` is about to take: written down before each, so that an event on which it crashes is known at the
/// next start.
public struct Breadcrumb: Equatable, Sendable {
    /// The loop.
    public var loop: LoopID
    /// Where the event came from.
    public var source: SourceKey
    /// The event; `nil` when a loop starts.
    public var event: Payload?
    /// Whether the event is longer than the place for it: then these are its first bytes.
    public var isCut: Bool
    /// Its place in the journal, when it was being replayed.
    public var replayed: UInt64?

    /// Describes an event that is about to be taken.
    public init(loop: LoopID, source: SourceKey, event: Payload?, isCut: Bool = false, replayed: UInt64? = nil) {
        self.loop = loop
        self.source = source
        self.event = event
        self.isCut = isCut
        self.replayed = replayed
    }
}

/// An event on which `update` has crashed.
public struct Crash: Equatable, Sendable {
    /// Which event, as it was the last time.
    public var breadcrumb: Breadcrumb
    /// How many times.
    public var count: Int
    /// The build of the program that crashed the last time.
    public var build: String
    /// The epoch in which it did.
    public var epoch: UInt64
    /// When that was noted.
    public var time: WallTime
    /// Whether it is to be dropped when it comes again.
    public var isDropped: Bool

    /// Describes crashes on one event.
    public init(
        breadcrumb: Breadcrumb, count: Int, build: String, epoch: UInt64, time: WallTime, isDropped: Bool = false
    ) {
        self.breadcrumb = breadcrumb
        self.count = count
        self.build = build
        self.epoch = epoch
        self.time = time
        self.isDropped = isDropped
    }
}
