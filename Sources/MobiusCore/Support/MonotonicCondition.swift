import Foundation

/// A lock with a condition whose waits end after a time, whatever happens to the system's calendar.
///
/// Foundation's `NSCondition` waits until a `Date`: when the calendar is set back by a minute, its waits last a minute longer.
// @unchecked: the system's lock and condition may be used from any thread; their addresses do not change.
package final class MonotonicCondition: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init() {
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
            pthread_cond_init(condition, nil)
        #else
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    package func lock() { pthread_mutex_lock(mutex) }

    package func unlock() { pthread_mutex_unlock(mutex) }

    /// Wakes one thread that waits.
    package func signal() { pthread_cond_signal(condition) }

    /// Wakes all threads that wait.
    package func broadcast() { pthread_cond_broadcast(condition) }

    /// Unlocks, waits until it is woken or so long, and locks again; it may return early for no reason.
    ///
    /// - Returns: `false` when the time has passed.
    package func wait(for time: Duration) -> Bool {
        let (seconds, attoseconds) = max(.zero, min(time, .seconds(1 << 30))).components
        let nanoseconds = Int(attoseconds / 1_000_000_000)
        #if canImport(Darwin)
            var span = timespec(tv_sec: Int(seconds), tv_nsec: nanoseconds)
            return pthread_cond_timedwait_relative_np(condition, mutex, &span) != ETIMEDOUT
        #else
            var end = timespec()
            clock_gettime(CLOCK_MONOTONIC, &end)
            let sum = end.tv_nsec + nanoseconds
            end.tv_sec += Int(seconds) + sum / 1_000_000_000
            end.tv_nsec = sum % 1_000_000_000
            return pthread_cond_timedwait(condition, mutex, &end) != ETIMEDOUT
        #endif
    }
}
