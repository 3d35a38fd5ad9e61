import Synchronization

/// Takes the time of every event while it is on; the coordinator process has one.
public final class Stopwatch: Sendable {
    /// The one that ``EffectLoop`` tells.
    public static let shared = Stopwatch()

    private let running = Atomic(false)
    private let laps = Mutex<[ContinuousClock.Instant]>([])

    private init() {}

    /// Notes the time, if switched on.
    public func lap() {
        guard running.load(ordering: .relaxed) else { return }
        let now = ContinuousClock.now
        laps.withLock { $0.append(now) }
    }

    /// Forgets what was noted and switches on.
    public func start(expecting count: Int) {
        laps.withLock { laps in
            laps.removeAll()
            laps.reserveCapacity(count)
        }
        running.store(true, ordering: .relaxed)
    }

    /// Switches off.
    ///
    /// - Returns: The times between consecutive events, ascending.
    public func stop() -> [Duration] {
        running.store(false, ordering: .relaxed)
        return laps.withLock { laps in zip(laps.dropFirst(), laps).map { $0 - $1 }.sorted() }
    }
}
