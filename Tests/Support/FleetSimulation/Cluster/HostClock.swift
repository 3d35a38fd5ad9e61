package import MobiusEngine
import MobiusTestKit

/// The clock of a host, which runs at a rate of its own from a start of its own.
package struct HostClock: Sendable {
    /// The number of its seconds that pass in a thousand of the world's.
    private let rate: Int64
    private let start: Moment
    private let offset: Int64

    package init(rate: Int, offset: Int64, start: Moment) {
        self.rate = Int64(rate)
        self.offset = offset
        self.start = start
    }

    /// Returns the moment that it shows at this moment of the world.
    package func moment(at now: Moment) -> Moment {
        Moment(nanoseconds: offset + (now.nanoseconds - start.nanoseconds) / 1000 * rate)
    }

    /// Returns the time from `now` until it shows at least `moment`.
    package func time(until moment: Moment, at now: Moment) -> Duration {
        let steps = (moment.nanoseconds - offset + rate - 1) / rate
        return max(.zero, .nanoseconds(start.nanoseconds + steps * 1000 - now.nanoseconds))
    }
}
