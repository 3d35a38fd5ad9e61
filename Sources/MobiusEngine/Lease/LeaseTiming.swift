/// The times of a lease, all of which follow from how long it lasts.
///
/// The holder's clock may run a quarter slower than those of the processes that stand by, without two holders at a time.
public struct LeaseTiming: Equatable, Sendable {
    /// The time that a lease lasts after each renewal: 4 s.
    ///
    /// A process that stands by times it, by a clock of its own that counts suspensions, from when it saw the renewal.
    public var lease: Duration
    /// The longest that any process of the cluster may choose.
    package var longest = Duration.seconds(60)

    /// Makes the times of a lease; 100 ms is the shortest.
    public init(lease: Duration = .seconds(4)) {
        self.lease = max(.milliseconds(100), lease)
    }

    /// The interval at which the holder renews it: a quarter of its time.
    public var renewal: Duration { lease / 4 }
    /// The time for which the holder acts by it: three quarters of its time.
    ///
    /// It counts from the beginning of the last successful renewal, by a clock of the holder's host that counts
    /// suspensions.
    public var trust: Duration { lease / 4 * 3 }
    /// The interval at which a process that stands by checks whether a lease has ended: a sixteenth of its time.
    public var poll: Duration { lease / 16 }
    /// Returns the time that a process that stands by waits for the next renewal of a lease.
    ///
    /// By the database's clock the lease lasts for `remaining` when it is first seen. The time is as long as the
    /// process's own lease would last, or as long as the holder chose, if that is longer. The database's clock may have
    /// been set meanwhile; so it never shortens the time, and lengthens it to 60 s at most.
    func patience(_ remaining: Duration) -> Duration { max(lease, min(remaining, longest)) }
    /// Returns the time for which a shard that could not be taken is left alone after this number of tries.
    ///
    /// It is a sixteenth of a lease's time at first, then longer and longer, up to all of it.
    func backoff(_ tries: Int) -> Duration { poll * (1 << min(max(0, tries - 1), 4)) }
    /// The time limit of a call about the shares of limits: an eighth of a lease's time.
    ///
    /// Renewals that become due meanwhile are made before.
    public var longestLimitCall: Duration { lease / 8 }
}
