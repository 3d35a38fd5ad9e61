import Foundation
package import MobiusEngine
package import MobiusWire

extension Moment {
    /// The time since the host's boot, its suspensions included, which all drivers and leases hand to their machines.
    ///
    /// Nobody can set it. Waits of the system do not count suspensions, so they end late after one: by a second at most, because no
    /// thread that has a deadline waits for longer.
    package static var current: Moment {
        #if canImport(Darwin)
            let clock = CLOCK_MONOTONIC  // counts suspensions there
        #else
            let clock = CLOCK_BOOTTIME
        #endif
        var time = timespec()
        clock_gettime(clock, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}

extension WallTime {
    /// The current time of the system's calendar, which may be set forward and back.
    package static var current: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The time in ISO 8601, in UTC, in whole seconds.
    package var iso8601: String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000).ISO8601Format()
    }
}
