package import MobiusEngine
import MobiusTestKit

/// A fault of a coordinator's host, of its connections, or of the database.
package enum ClusterTrouble: String, Sendable, CaseIterable {
    /// A host's process ends, as after SIGKILL: its endpoint refuses connections.
    case killHost
    /// A host loses its power: nothing answers, and the database finds out late.
    case loseHost
    /// A host's process is stopped and continued, as by SIGSTOP and SIGCONT, often for longer than a lease lasts.
    case stopHost
    /// No message passes between a host and the database for a while.
    case cutFromDatabase
    /// No message passes between a host and the workers for a while.
    case cutFromWorkers
    /// The database ends all connections, and takes no others for a while.
    case restartDatabase
    /// The database ends the connection of a host's leases, while the process lives.
    case loseSession
    /// The process that runs the loops is asked to stop, and hands them over.
    case leave
    /// An operator wants another process to run a shard; of a journal with several shards only.
    case move
    /// No process can run a shard for a while, as one whose rows are damaged; of a journal with several shards only.
    case spoil
    /// A split holds a shard for a while, so that no process can take it when its lease is free.
    case split
    /// The database's clock is set forward or back, as when another of its servers takes over.
    case setDatabaseClock
    /// A replica of the database takes over, which has not received the newest takings of leases, but everything that a journal
    /// has confirmed.
    case failOver
}

/// The coordinators of a cluster, and what goes wrong between them and their database.
package struct ClusterPlan: Sendable {
    /// The number of hosts, each of which has one coordinator process at a time.
    package var hosts: Int
    /// The number of shards that share the loops.
    package var shards = 1
    package var timing: LeaseTiming
    /// The troubles to choose from; one that is listed twice occurs twice as often.
    package var troubles: [ClusterTrouble] = []
    /// The number of lost calls of the database per 10,000, half of them after they took effect.
    package var lost = 0
    /// The number of slow calls of the database per 10,000, each of which takes up to two leases' time.
    package var slow = 0
    /// The time that a commit of the database takes, at most an eighth of a lease.
    ///
    /// In a cluster with one it is checked that no lease is renewed too late, and that no shard has no owner for too long. So
    /// calls are neither lost nor slow beside that, and the troubles are those for which the checks allow: those of hosts,
    /// `cutFromDatabase`, `cutFromWorkers`, `leave`, `split` and `setDatabaseClock`.
    package var commit: Duration?
    /// The number of stops of a process per 10,000 actions by which it tells others something.
    package var stops = 0
    /// Whether the hosts' clocks run up to an eighth slower or faster, so that one is a quarter slower than another at most.
    package var skewsClocks = false

    package init(hosts: Int, timing: LeaseTiming = LeaseTiming()) {
        self.hosts = hosts
        self.timing = timing
        // How long one may have to wait after the database's clock was set back: runs need not last for a minute.
        self.timing.longest = timing.lease * 2
    }
}

/// The events of a simulated cluster's leases: a run without any has shown nothing.
package struct ClusterCounts: Sendable, Equatable {
    /// Epochs that began, by which a process took the loops over.
    package var takeOvers = 0
    /// Takings before the end of another process's lease, because that has died.
    package var earlyTakes = 0
    /// Leases that a living process lost to another one.
    package var lostLeases = 0
    /// Takings that began an epoch of which the taker got no answer.
    package var unknownTakes = 0
    /// Leases that were released for others.
    package var handOvers = 0
    /// Waits of a process at its gate, because its lease was not trusted.
    package var waits = 0
    /// Processes that dropped their loops at a step that may not be seen, because their lease was not trusted.
    package var refusals = 0
    /// Commits that failed, so that their process dropped its loops.
    package var failedCommits = 0
    /// Shards that were handed over because another process was to have them.
    package var moves = 0
    /// Takings of a shard that no process could run.
    package var unfit = 0
    /// Takings of a shard that a split held.
    package var held = 0
    /// Events for loops of other shards that arrived.
    package var carried = 0
    /// Refusals of such events by an earlier build, which a later one takes.
    package var doubted = 0
    /// Loops that an earlier build could not read when it took their shard.
    package var heldLoops = 0
    /// Failovers of the database, and takings that were lost in them.
    package var failovers = 0
    package var lostTakings = 0
    /// Shards that were taken anew because a worker had seen a later epoch.
    package var outranked = 0
    /// Takings under an epoch above one that the database did not have any more.
    package var raised = 0
    /// Probes of owners at several addresses, and those of which some address refused and another did not.
    package var probes = 0
    package var mixedProbes = 0

    package init() {}

    package static func += (sum: inout ClusterCounts, other: ClusterCounts) {
        for count in all + rare { sum[keyPath: count.path] += other[keyPath: count.path] }
    }

    /// The counts with their names.
    package static var all: [(name: String, path: WritableKeyPath<ClusterCounts, Int>)] {
        [
            ("take-overs", \.takeOvers), ("early takes", \.earlyTakes), ("lost leases", \.lostLeases),
            ("unknown takes", \.unknownTakes), ("hand-overs", \.handOvers), ("waits at the gate", \.waits),
            ("refusals at the gate", \.refusals), ("failed commits", \.failedCommits),
            ("shards moved", \.moves), ("takings of unfit shards", \.unfit),
            ("takings of held shards", \.held), ("events between shards", \.carried),
            ("refusals by an earlier build", \.doubted),
            ("failovers", \.failovers), ("takings lost in them", \.lostTakings),
            ("takings above a lost epoch", \.raised), ("probes of several addresses", \.probes),
            ("of which some refused", \.mixedProbes),
        ]
    }

    /// Those that come once in hundreds of runs.
    package static var rare: [(name: String, path: WritableKeyPath<ClusterCounts, Int>)] {
        [("outranked owners", \.outranked), ("loops held by an earlier build", \.heldLoops)]
    }
}
