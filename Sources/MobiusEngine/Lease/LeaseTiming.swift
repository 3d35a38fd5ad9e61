/// The times of a lease, all of which follow from how long it lasts.
///
/// The holder's clock may run a quarter slower than the database's, without two holders at a time.
public struct LeaseTiming: Equatable, Sendable {
    /// How long a lease lasts after each renewal, by the database's clock: 4 s.
    public var lease: Duration

    /// Makes the times of a lease; 100 ms is the shortest.
    public init(lease: Duration = .seconds(4)) {
        self.lease = max(.milliseconds(100), lease)
    }

    /// How often the holder renews it: a quarter of its time.
    public var renewal: Duration { lease / 4 }
    /// How long after the beginning of its last successful renewal the holder acts by it: three quarters of its time.
    ///
    /// By a clock of the holder's host that counts suspensions.
    public var trust: Duration { lease / 4 * 3 }
    /// How often a process that stands by looks whether a lease has ended: a sixteenth of its time.
    public var poll: Duration { lease / 16 }
    /// How long a call about the shares of limits may take: an eighth of its time.
    ///
    /// What becomes due for renewal meanwhile is renewed before.
    public var longestLimitCall: Duration { lease / 8 }
}
