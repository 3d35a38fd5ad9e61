package import MobiusCore
package import MobiusEngine
package import MobiusWire

/// A program with its routes, worker places, requests and faults, ready to run in a ``World``.
package struct Scenario<Program: LoopProgram> {
    /// A place for worker processes, one at a time: when one ends, another one starts.
    package struct Place: Sendable {
        package var pools: [String]
        package var capacity: Int
        /// The name of the place's processes, without their number; `nil` uses the index of the place.
        package var name: String?
        /// Creates the handlers of each process; `nil` if handlers are scripted.
        package var handlers: (@Sendable () -> EffectRouter<Program.Effect, Program.Event>)?

        package init(
            pools: [String], capacity: Int,
            handlers: (@Sendable () -> EffectRouter<Program.Effect, Program.Event>)? = nil
        ) {
            self.pools = pools
            self.capacity = capacity
            self.handlers = handlers
        }
    }

    /// An event from outside, which its sender repeats until it is confirmed.
    package struct Request {
        package var loop: LoopID
        package var key: String
        /// The event; `nil` sends bytes that cannot be decoded.
        package var event: Program.Event?
        /// The time from the start of the run until it is first sent.
        package var after: Duration

        package init(loop: LoopID, key: String, event: Program.Event?, after: Duration) {
            self.loop = loop
            self.key = key
            self.event = event
            self.after = after
        }
    }

    /// The loops that exist from the start of the run.
    package var loops: [LoopID] = [.main]
    /// The initial model and effects of each loop.
    package var first: () -> First<Program.Model, Program.Effect> = Program.initiate
    /// The executor of real handlers; `nil` if handlers are scripted.
    package var stage: VirtualHandlerExecutor?
    package var routes: EffectRouter<Program.Effect, Program.Event>
    package var places: [Place]
    package var requests: [Request]
    /// Requests that are sent after the last fault, to end repeating work.
    package var finalRequests: [Request] = []
    /// A jump of the calendar after the last fault, before the final requests; `nil` for none.
    package var lateJump: Duration?
    /// Requests that are sent at the end, to handlers that never end: more effects than the capacity of all workers.
    package var flood: [Request] = []
    /// The script of a scripted handler for an effect.
    package var handle: (Program.Effect, HandlerCall, inout Chance) -> [HandlerStep<Program.Event>]
    package var timing: SessionTiming
    /// Creates the storage of the disk's journal.
    package var medium: () -> any JournalMedium = { MemoryMedium() }
    package var maximumPayload: UInt32 = 4 << 20
    package var faults: FaultPlan
    /// Several coordinators of one journal in a database; `nil` for a single one with its own disk.
    package var cluster: ClusterPlan?
    /// The build that a cluster's hosts have before an upgrade; `nil` for the same as afterwards.
    package var earlier: EarlierBuild<Program>?
    /// The builds of the program, one of which traps; `nil` when none does, as always with several coordinators.
    package var traps: TrapPlan?
    /// Whether the coordinator writes snapshots.
    package var snapshots = true
    /// The time for which an unused loop without effects stays in the coordinator's memory; `nil` for ever.
    package var idleAfter: Duration?
    /// The time for which the journal keeps what it has of a loop after the loop's end; `nil` for ever.
    package var keepEnded: Duration?
    /// The number of unapplied events from outside at which further ones get `busy`.
    package var maximumIntake = 10_000
    /// The numbers of uncommitted records, of keys remembered in memory, and of pending effects at which a coordinator
    /// takes no more; `nil` for the usual ones.
    package var maximumUncommitted: Int?
    package var rememberedKeys: Int?
    package var maximumBacklog: Int?
    /// The most deadlines that a coordinator handles at a time; `nil` for what is usual.
    package var deadlinesPerRound: Int?
    /// The number of clients that read, and of those that watch.
    package var readers = 0
    /// The percentage of handlers that ignore a cancellation.
    package var ignoredCancellations = 15
    /// Whether operators may retry or drop this effect's dead letter.
    package var mayRequeue: (Program.Effect) -> Bool = { _ in false }

    package init(
        routes: EffectRouter<Program.Effect, Program.Event>, places: [Place], requests: [Request],
        timing: SessionTiming, faults: FaultPlan,
        handle: @escaping (Program.Effect, HandlerCall, inout Chance) -> [HandlerStep<Program.Event>]
    ) {
        self.routes = routes
        self.places = places
        self.requests = requests
        self.timing = timing
        self.faults = faults
        self.handle = handle
    }
}

/// The context of a scripted handler.
package struct HandlerCall: Sendable {
    package let id: AttemptID
    /// The name of the handler's process, such as `worker 1#3` or `coordinator#2`.
    package let process: String

    /// The idempotency key.
    package var key: String { id.effect.description }
}

/// One step of a scripted handler, whose process may end between any two steps.
package enum HandlerStep<Event> {
    case wait(Duration)
    /// Performs a side effect outside the fleet.
    case act(() -> Void)
    /// Reports progress.
    case progress
    case send(Event)
    /// Sends bytes that cannot be decoded.
    case sendUndecodable(bytes: Int)
    /// Ends with a last event, or without one.
    case finish(Event?)
    case finishWithUndecodable(bytes: Int)
    case fail(retryable: Bool, delay: UInt32, reason: String)
    /// Never ends unless it is cancelled.
    case hang
}
