package import MobiusCore
package import MobiusEngine
package import MobiusProgram
package import MobiusWire

/// A program with its routes, worker places and faults, ready to run in a ``World``.
package struct FleetPlan<Program: LoopProgram> {
    /// A place for worker processes, one at a time: when one ends, another one starts.
    package struct Place: Sendable {
        package var pools: [String]
        package var capacity: Int
        /// The name of the place's processes, without their number; `nil` uses the index of the place.
        package var name: String?
        /// Creates the handlers of each process; `nil` if the world's director does.
        package var handlers: PlaceHandlers?

        package init(
            pools: [String], capacity: Int,
            handlers: PlaceHandlers? = nil
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
    package var loops: [LoopID]
    /// The functions of its program, or programs.
    package var functions: any ProgramFunctions<Program>
    /// The executor of real handlers; `nil` if the world's director makes the handlers.
    package var stage: VirtualHandlerExecutor?
    package var places: [Place]
    package var timing: SessionTiming
    /// Creates the storage of the disk's journal.
    package var medium: () -> any JournalMedium = { MemoryMedium() }
    package var maximumPayload: UInt32 = 4 << 20
    package var faults: FaultPlan
    /// The number of shards that share the loops, each with a journal of its own.
    package var shards = 1
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

    package init(
        _ functions: any ProgramFunctions<Program>, places: [Place], timing: SessionTiming, faults: FaultPlan
    ) {
        self.functions = functions
        loops = functions.hasMain ? [.main] : []
        self.places = places
        self.timing = timing
        self.faults = faults
    }
}
