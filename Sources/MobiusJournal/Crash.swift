public import MobiusWire

/// The event that is passed to `update`, recorded before each call, so that an event on which it crashes is known at
/// the next start.
public struct Breadcrumb: Equatable, Sendable {
    /// The loop.
    public var loop: LoopID
    /// The source of the event.
    public var source: SourceKey
    /// The event; `nil` when a loop starts.
    public var event: Payload?
    /// Whether the event was longer than its space: then these are its first bytes.
    public var isCut: Bool
    /// Its place in the journal, when it was being replayed.
    public var replayed: UInt64?

    /// Describes an event that is about to be passed to `update`.
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
    /// The event at the last crash.
    public var breadcrumb: Breadcrumb
    /// The number of crashes.
    public var count: Int
    /// The build of the program that crashed the last time.
    public var build: String
    /// The epoch of the last crash.
    public var epoch: UInt64
    /// The time at which the last crash was recorded.
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
