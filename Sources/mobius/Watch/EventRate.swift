/// How many events are applied per second, by what the coordinator says from time to time.
package struct EventRate: Equatable, Sendable {
    private struct Sample: Equatable {
        let time: Duration
        let events: UInt64
    }

    /// How far back it looks.
    private static let window: Duration = .seconds(5)

    private var epoch: UInt64?
    private var samples: [Sample] = []

    /// Makes a rate that knows nothing.
    package init() {}

    /// Events per second over the last five; nil before there are two samples.
    package var perSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.time > first.time else { return nil }
        return Double(last.events - first.events) / ((last.time - first.time) / .seconds(1))
    }

    /// Takes a sample; one of another epoch, or with fewer events than before, begins anew.
    package mutating func take(_ events: UInt64?, epoch: UInt64, at now: Duration) {
        guard let events else { return samples = [] }
        if epoch != self.epoch || events < samples.last?.events ?? 0 { samples = [] }
        self.epoch = epoch
        samples.append(Sample(time: now, events: events))
        // One that is just outside of the window stays: the rate is over all of the window then.
        while samples.count > 2, now - samples[1].time >= Self.window { samples.removeFirst() }
    }
}
