public import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How long tests wait: the one place that decides it.
///
/// A test that succeeds waits for a condition and never for a limit, so a generous limit costs nothing. It grows with how slow the
/// machine is: with what a computation takes, measured once per process, and with how many threads want each processor now.
public enum Patience {
    /// How long to wait for what an idle machine does in a few seconds.
    public static var limit: Duration { .seconds(60) * factor }

    /// How many times as long as on an idle machine things may take now: from 1 to 20.
    public static var factor: Double { min(20, slowness * max(1, load)) }

    /// How many threads want each processor, on average over the last minute.
    private static var load: Double {
        var average = 0.0
        guard getloadavg(&average, 1) == 1 else { return 1 }
        return average / Double(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }

    /// How much longer than on the machine of the limits a short computation takes here; the best of ten, as others compute, too.
    private static let slowness: Double = {
        #if DEBUG
            let usual = Duration.microseconds(80)
        #else
            let usual = Duration.microseconds(37)
        #endif
        let times = (0..<10).map { _ in ContinuousClock().measure { precondition(compute() != 0) } }
        return max(1, (times.min() ?? usual) / usual)
    }()

    private static func compute() -> UInt64 {
        var value: UInt64 = 88_172_645_463_325_252
        for _ in 0..<20_000 {
            value ^= value << 13
            value ^= value >> 7
            value ^= value << 17
        }
        return value
    }
}

/// A wait that has begun; its end moves on when the machine gets slower meanwhile.
public struct PatientWait: Sendable {
    private let begin = ContinuousClock.now
    private let limit: Duration?

    /// Begins a wait that lasts at most as long as ``Patience`` says, or as `limit` says where a test is about that limit.
    public init(within limit: Duration? = nil) {
        self.limit = limit
    }

    /// How long it may last.
    public var length: Duration { limit ?? Patience.limit }

    /// When it is over, as far as is known now.
    public var end: ContinuousClock.Instant { begin + length }

    /// Whether it is over.
    public var isOver: Bool { ContinuousClock.now >= end }
}

extension DispatchSemaphore {
    /// Waits for a signal; `false` if none comes within ``Patience/limit``.
    public func waitPatiently() -> Bool {
        wait(timeout: .now() + Patience.limit / .seconds(1)) == .success
    }
}
