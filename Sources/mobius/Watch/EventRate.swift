/// The number of events applied per second, computed from samples of the coordinator's status.
package struct EventRate: Equatable, Sendable {
    private struct Sample: Equatable {
        let time: Duration
        let events: UInt64
    }

    /// The period that the rate covers.
    private static let window: Duration = .seconds(5)

    private var epoch: UInt64?
    private var samples: [Sample] = []

    /// Begins without samples.
    package init() {}

    /// Events per second over the last five seconds; nil before there are two samples.
    package var perSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.time > first.time else { return nil }
        return Double(last.events - first.events) / ((last.time - first.time) / .seconds(1))
    }

    /// Adds a sample; discards earlier ones if the epoch has changed or the count has decreased.
    package mutating func record(_ events: UInt64?, epoch: UInt64, at now: Duration) {
        guard let events else { return samples = [] }
        if epoch != self.epoch || events < samples.last?.events ?? 0 { samples = [] }
        self.epoch = epoch
        samples.append(Sample(time: now, events: events))
        // One sample just outside of the window stays, so that the rate covers the whole window.
        while samples.count > 2, now - samples[1].time >= Self.window { samples.removeFirst() }
    }
}
