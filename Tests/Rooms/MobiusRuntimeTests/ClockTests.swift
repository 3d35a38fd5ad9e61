import MobiusEngine
import MobiusRuntime
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The clock of drivers and leases.
@Suite struct ClockTests {
    @Test func suspensionsOfTheHostCount() {
        #if canImport(Darwin)
            let clock = CLOCK_MONOTONIC
        #else
            let clock = CLOCK_BOOTTIME
        #endif
        func shown() -> Int64 {
            var time = timespec()
            clock_gettime(clock, &time)
            return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        }
        let before = shown()
        let current = Moment.current.nanoseconds
        #expect(before <= current && current <= shown())
    }
}
