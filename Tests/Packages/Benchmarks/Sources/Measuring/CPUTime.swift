import Foundation

/// CPU time, user and system, in seconds.
public enum CPUTime {
    /// Of this process so far.
    public static func ofThisProcess() -> Double {
        #if canImport(Glibc)
            seconds(RUSAGE_SELF.rawValue)
        #else
            seconds(RUSAGE_SELF)
        #endif
    }

    /// Of all children that have ended and were waited for.
    public static func ofEndedChildren() -> Double {
        #if canImport(Glibc)
            seconds(RUSAGE_CHILDREN.rawValue)
        #else
            seconds(RUSAGE_CHILDREN)
        #endif
    }

    /// Of the thread that asks.
    public static func ofThisThread() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func seconds(_ who: Int32) -> Double {
        var usage = rusage()
        getrusage(who, &usage)
        return [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }.reduce(0, +)
    }
}
