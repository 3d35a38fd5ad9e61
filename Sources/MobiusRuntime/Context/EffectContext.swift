import MobiusCore
import MobiusEngine
public import MobiusWire
import Synchronization

// @unchecked Sendable although it holds nothing but constants, atomics and a lock: only a class without subclasses is checked.
// The one that it has is the attempt itself, which so is one object and not two.
/// What a handler can know about the effect that it runs: its name, the attempt, the time it has, whether it is still
/// wanted.
///
/// A closure of a `.toWork` route gets it as an argument; any other handler finds it in ``current``. It belongs to one
/// attempt, may be used from any thread and may be kept; every use costs next to nothing.
///
/// It exists where effects are carried out for somebody who keeps them: in workers, and for the local routes of a
/// coordinator. A plain loop, and the local routes of a worker pool, have none, see `.toWork`.
public class EffectContext: @unchecked Sendable {
    /// The context of the handler that runs in this task, or on this thread; `nil` anywhere else.
    ///
    /// It is set while a handler starts: in plain closures to their end, in `EffectHandler.handle`, while a `Connectable`
    /// is connected and takes its input, and in async closures to their end. Child tasks inherit it, and so does
    /// `Task { … }`; detached tasks, other threads and dispatch queues do not. Take it out before you go there.
    @TaskLocal public static var current: EffectContext?

    /// The name of the effect: the same in every attempt at it, in whichever process, and for no other effect of its
    /// journal.
    public final var id: EffectID { order.id.effect }

    /// Which attempt at the effect this is.
    ///
    /// It grows from one to the next, but not by one: an attempt may be lost before any handler sees it.
    public final var attempt: Attempt { order.id.attempt }

    /// When the coordinator gives this attempt up, as this process's clock shows it; `nil` when there is no limit.
    ///
    /// It is counted from the arrival of the order, so it is late by the order's way: leave a margin. Nothing happens
    /// here when it passes: the coordinator notices it by its own clock and then cancels the attempt.
    public final var deadline: ContinuousClock.Instant? { limit.map { Self.origin + $0 } }

    // As a whole, as it came: its parts would be copied.
    /// What was ordered; whoever reads the effect takes its bytes out first.
    final let order: EffectOrder
    private static let nothing = Payload(kind: PayloadKind(type: "", contentType: ""), bytes: [])

    /// The deadline, from an instant that all of this process share: optional instants are copied by looking their type up.
    private let limit: Duration?
    private static let origin = ContinuousClock.now
    static func limit(until deadline: ContinuousClock.Instant) -> Duration { deadline - origin }

    /// `nil` for the time of the machine, which would be another reference to count for each effect.
    private let clock: (@Sendable () -> Moment)?
    /// Nanoseconds of `clock` at the last progress; the least number for none.
    private let lastProgress = Atomic(Int64.min)
    private let isGivenUp = Atomic(false)
    /// What ``fail(_:)`` was told.
    private let failure = Lock<HandlerFailure?>(nil)

    /// Describes an attempt whose progress is measured by `clock`.
    init(_ order: consuming EffectOrder, limit: Duration?, clock: (@Sendable () -> Moment)?) {
        self.order = order
        self.limit = limit
        self.clock = clock
    }

    /// Describes an attempt that nobody runs, for tests of handlers.
    public convenience init(
        id: EffectID, attempt: Attempt = Attempt(epoch: 1, number: 1), deadline: ContinuousClock.Instant? = nil
    ) {
        let order = EffectOrder(id: AttemptID(effect: id, attempt: attempt), effect: Self.nothing)
        self.init(order, limit: deadline.map(Self.limit), clock: nil)
    }

    /// A word for the effect that is the same in every attempt and differs from that of all other effects of the
    /// journal: `loop/sequence/index`.
    ///
    /// An effect may run more than once: hand this to whatever the handler calls, so that a second time changes nothing.
    /// Another journal uses the same words for other effects, so put a name of your own before it where several meet.
    public final var idempotencyKey: String { id.description }

    /// Whether nobody waits for the effect any more: it was cancelled, or it has ended.
    ///
    /// It is `true` at once when the coordinator cancels the attempt or has given it to another worker, when a policy or a
    /// `.cancels` route of this process ends it, and when the process must leave. The handler's task is cancelled and
    /// its `Disposable` disposed of at the same time; a plain closure should ask here between its steps.
    public final var isCancelled: Bool { isGivenUp.load(ordering: .acquiring) }

    /// Throws `CancellationError` when ``isCancelled``.
    public final func checkCancellation() throws {
        if isCancelled { throw CancellationError() }
    }

    /// Says that the work goes on.
    ///
    /// Only a route with the time-out `progress` asks for it: there an attempt that says nothing for that long is given
    /// up, however long the whole may take. It notes the time and nothing else, so it may be called a million times a
    /// second. Word of it travels with the heartbeats of the worker, once a second; events that are sent count, too.
    public final func progress() {
        lastProgress.store((clock?() ?? .current).nanoseconds, ordering: .relaxed)
    }

    /// Suspends while so many events of this handler are not acknowledged that it must not send another.
    ///
    /// Call it before each event that an async handler sends, as the events of a `toEvents` do by themselves: a `send` that
    /// finds no room blocks its thread instead, of which Swift has few for all tasks. It returns at once where there is
    /// room, and when the handler is cancelled.
    public func room() async {}

    /// When progress was last reported; `nil` for never.
    final var progressed: Moment? {
        let nanoseconds = lastProgress.load(ordering: .relaxed)
        return nanoseconds == .min ? nil : Moment(nanoseconds: nanoseconds)
    }

    /// Calls `body` on a thread whose handlers set ``current``, one after the other.
    ///
    /// A thread allocates room for its first task-local value and frees it after its last: so it keeps one all the while,
    /// which is the same as none.
    package static func withThread<Result>(_ body: () throws -> Result) rethrows -> Result {
        try $current.withValue(nil) { try body() }
    }

    /// Nobody waits for it from now on.
    final func giveUp() {
        isGivenUp.store(true, ordering: .releasing)
    }

    /// Says that the end of the handler, which follows, is a failure.
    final func fail(_ failure: HandlerFailure) {
        self.failure.withLock { $0 = failure }
    }

    /// What ``fail(_:)`` said.
    final var failed: HandlerFailure? { failure.withLock { $0 } }
}
