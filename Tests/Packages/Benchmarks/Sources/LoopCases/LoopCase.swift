/// Something measured in this process: what the loop does, and the same update called without it.
public struct LoopCase: Sendable {
    /// Its name in the table.
    public let name: String
    /// How many events make a batch of about a millisecond.
    public let batch: Int
    /// Makes the floor: a function that applies so many events by calling update, and what follows from it, directly.
    public let makeFloor: @Sendable () -> Batch
    /// Makes ours: the same through a loop.
    public let makeOurs: @Sendable () -> Batch

    /// Applies so many events.
    public typealias Batch = (_ events: Int) -> Void

    /// All of them.
    public static let all: [LoopCase] =
        counters + [1, 3, 30].map(roundtrip) + numbers + controllers
}
