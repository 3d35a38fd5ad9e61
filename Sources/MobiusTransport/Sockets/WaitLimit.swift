#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The deadline of a poller's wait, in the whole milliseconds of poll(2), rounded up.
///
/// It uses plain integers, because a poller makes one for every wait.
struct WaitLimit {
    private static let millisecond: Int64 = 1_000_000

    /// In nanoseconds of a monotonic clock; `nil` for ever.
    private let end: Int64?
    /// Whether the time-out is zero.
    let isZero: Bool

    /// `nil` is for ever.
    init(_ timeout: Duration?) {
        let milliseconds = timeout.map { Int64(Int32(clamping: max(0, $0.wholeMilliseconds))) }
        isZero = milliseconds == 0
        end = milliseconds.map { $0 == 0 ? 0 : Self.now + $0 * Self.millisecond }
    }

    /// The time-out for poll(2), -1 for ever.
    var left: Int32 {
        guard let end else { return -1 }
        guard !isZero else { return 0 }
        return Int32(clamping: max(0, end - Self.now + Self.millisecond - 1) / Self.millisecond)
    }

    var isOver: Bool { isZero || left == 0 }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
