package import MobiusWire

// Pools that operators pause: nothing new starts there.
extension CoordinatorMachine {
    /// The time by the calendar, as a pause has it.
    package func time(at now: Moment) -> WallTime { calendar.time(at: now) }

    /// A pool's pause is on disk, or that it has none.
    ///
    /// - Parameter request: Whose answer waits until no start from before is left to be sent; `nil` for none.
    mutating func set(_ pause: PoolPause?, of pool: String, _ request: RequestID?, repeated: Bool) {
        dispatcher.paused[pool] = pause
        guard let request else { return }
        // Behind the starts that are not on disk yet, and behind their orders.
        batch.postCommitActions.append(.conclude(request, repeated: repeated))
    }
}
