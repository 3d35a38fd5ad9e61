import MobiusCore
import MobiusEngine
public import MobiusWire
import Synchronization

// @unchecked Sendable, although all members are constants, atomics or a lock: the compiler checks only final classes.
// The only subclass is the attempt itself, so that an attempt is one object instead of two.
/// The context of the effect that a handler runs: its id, the attempt, the deadline and whether it is cancelled.
///
/// ```swift
/// .routeCase(Purchase.Effect.charge).toWork { item, context in
///     // The key is the same in each attempt, so the bank charges once.
///     try await bank.charge(item, idempotencyKey: context.idempotencyKey)
///     return .charged(item)
/// }
/// ```
/// The closure of a `.toWork` route gets it as an argument; any other handler finds it in ``current``. It belongs to
/// one attempt, may be used from any thread and may be kept. All its operations are cheap.
///
/// It exists where effects come from a journal: in workers, and for the local routes of a coordinator. A plain loop,
/// and the local routes of a worker pool, have none: see `.toWork`.
public class EffectContext: @unchecked Sendable {
    /// The context of the handler that runs in this task, or on this thread; `nil` anywhere else.
    ///
    /// It is set while a handler starts: until a plain closure returns, in `EffectHandler.handle`, while a
    /// `Connectable` is connected and receives its input, and until an async closure returns. Child tasks and
    /// `Task { … }` inherit it; detached tasks, other threads and dispatch queues do not. Read it before you go there.
    @TaskLocal public static var current: EffectContext?

    /// The effect's id: the same in every attempt and every process, and unique within the journal.
    public final var id: EffectID { order.id.effect }

    /// The attempt at the effect that this is.
    ///
    /// It grows from attempt to attempt, but not always by one: an attempt may be lost before a handler starts.
    public final var attempt: Attempt { order.id.attempt }

    /// The time at which the coordinator gives this attempt up, on this process's clock; `nil` when there is no limit.
    ///
    /// It is counted from the arrival of the order, so it is late by the time the order was under way: leave a margin.
    /// Nothing happens in this process when it passes: the coordinator measures by its own clock and then cancels the
    /// attempt.
    public final var deadline: ContinuousClock.Instant? { limit.map { Self.origin + $0 } }

    // Kept as one value: its parts would be copied.
    /// The order; the code that decodes the effect takes its bytes out first.
    final let order: EffectOrder
    private static let nothing = Payload(kind: PayloadKind(type: "", contentType: ""), bytes: [])

    /// The deadline relative to `origin`: copying an optional instant needs a type metadata lookup.
    private let limit: Duration?
    private static let origin = ContinuousClock.now
    static func time(of instant: ContinuousClock.Instant) -> Duration { instant - origin }

    /// `nil` for the system clock, so that no reference is counted per effect.
    private let clock: (@Sendable () -> Moment)?
    /// The time of the last progress in nanoseconds; `Int64.min` when none was reported.
    private let lastProgress = Atomic(Int64.min)
    private let isGivenUp = Atomic(false)
    /// The failure passed to ``fail(_:)``.
    private let failure = Lock<HandlerFailure?>(nil)

    /// Describes an attempt whose progress is measured with `clock`.
    init(_ order: consuming EffectOrder, limit: Duration?, clock: (@Sendable () -> Moment)?) {
        self.order = order
        self.limit = limit
        self.clock = clock
    }

    /// Describes an attempt that no runtime runs, for tests of handlers.
    public convenience init(
        id: EffectID, attempt: Attempt = Attempt(epoch: 1, number: 1), deadline: ContinuousClock.Instant? = nil
    ) {
        let order = EffectOrder(id: AttemptID(effect: id, attempt: attempt), effect: Self.nothing)
        self.init(order, limit: deadline.map(Self.time), clock: nil)
    }

    /// A stable idempotency key, `loop/sequence/index`: the same in every attempt, and never used again in the journal.
    ///
    /// An effect may run more than once: pass this key to the systems that the handler calls, so that a second call
    /// changes nothing. Keys repeat across journals, so add a prefix of your own where several journals call the same
    /// system.
    public final var idempotencyKey: String { id.description }

    /// Whether the effect was cancelled or has ended.
    ///
    /// It becomes `true` at once when the coordinator cancels the attempt or has given it to another worker, when a
    /// policy or a `.cancels` route of this process ends it, and when the process is to stop. The handler's task is
    /// cancelled and its `Disposable` disposed of at the same time; a plain closure should check this property between
    /// its steps.
    public final var isCancelled: Bool { isGivenUp.load(ordering: .acquiring) }

    /// Throws `CancellationError` when ``isCancelled``.
    public final func checkCancellation() throws {
        if isCancelled { throw CancellationError() }
    }

    /// Reports progress.
    ///
    /// Only a route with a `progress` time-out needs it: the coordinator gives up an attempt that reports no progress
    /// for that long, however long the whole attempt may take. A call stores the time and does nothing else, so a
    /// million calls a second are fine. The worker's heartbeats carry it once a second; sent events count as progress,
    /// too.
    public final func progress() {
        lastProgress.store((clock?() ?? .current).nanoseconds, ordering: .relaxed)
    }

    /// Suspends while this handler may not send another event, because too many of its events are not acknowledged.
    ///
    /// Call it before each event that an async handler sends, as the events of a `toEvents` do by themselves. Without
    /// it a `send` that finds no room blocks its thread, and Swift has few threads for all tasks. It returns at once
    /// when there is room, and when the handler is cancelled.
    public func room() async {}

    /// The time at which progress was last reported; `nil` when none was.
    final var progressed: Moment? {
        let nanoseconds = lastProgress.load(ordering: .relaxed)
        return nanoseconds == .min ? nil : Moment(nanoseconds: nanoseconds)
    }

    /// Calls `body` on a thread whose handlers set ``current`` one after the other.
    ///
    /// A thread allocates memory for its first task-local value and frees it after its last. The outer value set here
    /// keeps that memory, so that handlers do not allocate it again.
    package static func withThread<Result>(_ body: () throws -> Result) rethrows -> Result {
        try $current.withValue(nil) { try body() }
    }

    /// Marks the attempt as cancelled.
    final func giveUp() {
        isGivenUp.store(true, ordering: .releasing)
    }

    /// Marks the end of the handler, which follows, as a failure.
    final func fail(_ failure: HandlerFailure) {
        self.failure.withLock { $0 = failure }
    }

    final var failed: HandlerFailure? { failure.withLock { $0 } }
}
