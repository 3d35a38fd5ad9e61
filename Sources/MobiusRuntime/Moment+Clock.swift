import Foundation
package import MobiusEngine
package import MobiusWire

extension Moment {
    /// The time now, on the clock that every edge hands to its machines: it never goes back, whatever the wall clock does.
    package static var current: Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}

extension WallTime {
    /// The time now, by the system's calendar, which may be set forward and back.
    package static var current: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
