import MobiusCore
import Synchronization

/// A clock whose time the test advances; sleeping on it takes no real time.
///
/// Handlers take a clock where they sleep, `ContinuousClock` in the app and this one in tests:
///
/// ```swift
/// let clock = TestClock()
/// await EffectHandlerSpec(reminders(clock: clock))
///     .when(.remind(after: .seconds(3600)))
///     .advancing(clock, by: .seconds(3600))
///     .then(assertThatEvents(hasExactlyEvents([.reminded])))
/// ```
public final class TestClock: Clock, Sendable {
    /// A time, counted from the making of the clock.
    public struct Instant: InstantProtocol {
        let offset: Swift.Duration

        /// The instant `duration` later.
        public func advanced(by duration: Swift.Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// The duration from this instant to the other.
        public func duration(to other: Instant) -> Swift.Duration {
            other.offset - offset
        }

        /// Whether one time comes before the other.
        public static func < (lhs: Instant, rhs: Instant) -> Bool {
            lhs.offset < rhs.offset
        }
    }

    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var lastID = 0
        var sleepers: [Sleeper] = []
        /// Sleeps that were cancelled before they began.
        var cancelled: Set<Int> = []
    }

    private let state = Lock(State())

    /// A clock that stands at zero.
    public init() {}

    /// The current instant.
    public var now: Instant { state.withLock { $0.now } }

    /// Zero: times are exact.
    public var minimumResolution: Swift.Duration { .zero }

    /// The number of tasks that sleep on it.
    public var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// Sleeps until the test has advanced the clock to the deadline.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Swift.Duration? = nil) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Advances the clock by `duration`: sleepers wake at their times, in order, and may sleep again meanwhile.
    ///
    /// After each waking it yields to other tasks (`Task.yield`). That may not be enough for a task to sleep again;
    /// ``EffectHandlerSpec/Then/advancing(_:by:)`` waits for that.
    public func advance(by duration: Swift.Duration) async {
        await advance(by: duration) {
            for _ in 0..<20 { await Task.yield() }
        }
    }

    /// Advances by `duration`, calling `settle` before each step and at the end.
    func advance(by duration: Swift.Duration, settle: () async -> Void) async {
        await settle()
        let end = now.advanced(by: duration)
        while let sleeper = wakeNext(until: end) {
            sleeper.continuation.resume()
            await settle()
        }
    }

    /// Advances to the next deadline up to `end`, and removes its sleeper; to `end` if there is none.
    private func wakeNext(until end: Instant) -> Sleeper? {
        state.withLock { state in
            let next = state.sleepers.indices.min { one, two in
                (state.sleepers[one].deadline, state.sleepers[one].id) < (
                    state.sleepers[two].deadline, state.sleepers[two].id
                )
            }
            guard let next, state.sleepers[next].deadline <= end else {
                state.now = max(state.now, end)
                return nil
            }
            let sleeper = state.sleepers.remove(at: next)
            state.now = max(state.now, sleeper.deadline)
            return sleeper
        }
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
