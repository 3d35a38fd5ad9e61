import CZeroMQ

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The identity of a thread, for comparisons.
///
/// The system may give a new thread the identity of one that has ended.
struct ThreadIdentity: Hashable, Sendable {
    let rawValue: UInt

    /// The calling thread.
    @inline(__always)
    static var current: ThreadIdentity {
        #if canImport(Darwin)
            ThreadIdentity(rawValue: UInt(bitPattern: pthread_self()))
        #else
            ThreadIdentity(rawValue: UInt(pthread_self()))
        #endif
    }
}

/// Names the calling thread for debuggers and `top`; Linux keeps the first 15 bytes.
func nameCurrentThread(_ name: String) {
    #if canImport(Darwin)
        pthread_setname_np(name)
    #else
        var short = ""
        for character in name {
            guard short.utf8.count + String(character).utf8.count <= 15 else { break }
            short.append(character)
        }
        czeromq_name_thread(short)
    #endif
}

extension Duration {
    /// Whole milliseconds, rounded up, so that a wait is never shorter than asked and never spins on zero.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let attosecondsPerMillisecond: Int64 = 1_000_000_000_000_000
        var milliseconds = attoseconds / attosecondsPerMillisecond
        if attoseconds % attosecondsPerMillisecond > 0 { milliseconds += 1 }
        let (sum, sumOverflow) = scaled.addingReportingOverflow(milliseconds)
        return sumOverflow ? .max : sum
    }
}

/// Sets the value of `zmq_errno`, for checks made before libzmq is called.
func setErrno(_ code: Int32) {
    errno = code
}
