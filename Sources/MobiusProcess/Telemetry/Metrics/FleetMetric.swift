/// Every metric of a fleet, as in the table of the page for operators.
package enum FleetMetric: String, CaseIterable, Sendable {
    // Of a coordinator, for each pool.
    case pending = "mobius_effects_pending"
    case running = "mobius_effects_running"
    case oldestAge = "mobius_effects_oldest_age_seconds"
    case credit = "mobius_pool_credit"
    case workers = "mobius_pool_workers"
    case paused = "mobius_pool_paused"
    case dispatched = "mobius_effects_dispatched_total"
    case retried = "mobius_effects_retried_total"
    case failed = "mobius_effects_failed_total"
    case deadLettered = "mobius_dead_letters_total"
    case effectTime = "mobius_effect_duration_seconds"
    // Of a coordinator as a whole.
    case letters = "mobius_dead_letters"
    case loops = "mobius_loops"
    case heldLoops = "mobius_loops_held"
    case keptLoops = "mobius_loops_kept"
    case refusedLoops = "mobius_loops_refused_total"
    case events = "mobius_events_applied_total"
    case commitTime = "mobius_commit_duration_seconds"
    case commitSize = "mobius_commit_records"
    case runsLoops = "mobius_loops_owner"
    case leaseLeft = "mobius_lease_seconds"
    case shards = "mobius_shards"
    // Of a worker.
    case connected = "mobius_worker_connected"
    case workerRunning = "mobius_worker_effects_running"
    case workerEnded = "mobius_worker_effects_total"
    case handlerTime = "mobius_worker_handler_duration_seconds"
    // Of mobius-serve.
    case responses = "mobius_http_responses_total"
    case reached = "mobius_http_fleet_reached"
    // Of coordinators and workers.
    case start = "mobius_process_start_time_seconds"

    /// The kinds of processes with metrics.
    package enum Owner: String, Sendable {
        case coordinator, worker, both, server
    }

    /// Prometheus' type of a metric.
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// The kind of process that has it.
    package var owner: Owner {
        switch self {
        case .pending, .running, .oldestAge, .credit, .workers, .paused, .dispatched, .retried, .failed, .deadLettered,
            .effectTime,
            .letters, .loops, .heldLoops, .keptLoops, .refusedLoops, .events, .commitTime, .commitSize,
            .runsLoops, .leaseLeft, .shards:
            .coordinator
        case .connected, .workerRunning, .workerEnded, .handlerTime: .worker
        case .responses, .reached: .server
        case .start: .both
        }
    }

    /// Its type.
    package var kind: Kind {
        switch self {
        case .pending, .running, .oldestAge, .credit, .workers, .paused, .letters, .loops, .heldLoops, .keptLoops,
            .connected,
            .workerRunning, .runsLoops, .leaseLeft, .shards, .reached, .start:
            .gauge
        case .dispatched, .retried, .failed, .deadLettered, .events, .refusedLoops, .workerEnded, .responses: .counter
        case .effectTime, .commitTime, .commitSize, .handlerTime: .histogram
        }
    }

    /// Its dimensions.
    package var labels: [String] {
        switch self {
        case .pending, .running, .oldestAge, .credit, .workers, .paused, .dispatched, .retried, .failed, .deadLettered,
            .effectTime,
            .workerRunning, .handlerTime:
            ["pool"]
        case .workerEnded: ["pool", "outcome"]
        case .responses: ["status"]
        // Only where a coordinator runs several programs.
        case .letters, .loops, .heldLoops, .keptLoops, .refusedLoops, .events: ["kind"]
        case .commitTime, .commitSize, .runsLoops, .leaseLeft, .shards, .connected, .reached, .start: []
        }
    }

    /// Its description for operators.
    package var help: String {
        switch self {
        case .pending: "Pending effects of the pool: they wait, pause before another attempt, or run."
        case .running: "Effects of the pool that are at a worker."
        case .oldestAge: "Age of the pool's oldest pending effect; 0 when there is none."
        case .credit: "Number of further effects that the pool's workers would take now."
        case .workers: "Workers that serve the pool."
        case .paused: "Whether operators have paused the pool: 1 or 0."
        case .dispatched: "Effects dispatched to workers: attempts, and those sent again because they were lost."
        case .retried: "Failed attempts after which the effect is retried."
        case .failed: "Effects that failed for good."
        case .deadLettered: "Effects that failed for good and were kept as dead letters."
        case .effectTime: "From the event that asked for the effect to its end, with all waiting and all attempts."
        case .letters: "Dead letters in the journal."
        case .loops: "Loops, including held ones."
        case .heldLoops: "Loops held by an event in quarantine."
        case .keptLoops: "Loops that count for --max-loops: also those that have ended and are kept."
        case .refusedLoops: "Times that a loop could not begin because of --max-loops or its program's limit."
        case .events: "Events applied and committed, including the starts of loops."
        case .commitTime: "Duration of one commit of the journal, with its fsync."
        case .commitSize: "Number of records in one commit of the journal."
        case .runsLoops: "Number of shards that the coordinator runs: 1 or 0 for a journal of one shard."
        case .leaseLeft:
            "How long a coordinator that runs the loops of a shared journal may go on without renewing its lease."
        case .shards: "Number of shards of the journal, as far as the coordinator knows."
        case .connected: "Whether the worker has a session with its coordinator: 1 or 0."
        case .workerRunning: "Effects whose handlers run in this worker or wait for a thread."
        case .workerEnded: "Handlers that ended in this worker: finished, even after a cancellation, or failed."
        case .handlerTime: "Duration of one handler in this worker, with its wait for a thread."
        case .responses: "Responses of mobius-serve, by the first digit of their status."
        case .reached: "Whether mobius-serve got the fleet's status for this scrape: 1 or 0."
        case .start: "Start time of the process, in seconds since 1970."
        }
    }

    /// The upper bounds of a histogram, without the infinite one; for times in seconds.
    package var buckets: [Double] {
        switch self {
        case .commitTime: [0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]
        case .commitSize: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
        default: Self.usualBuckets
        }
    }

    /// From a millisecond to an hour.
    private static let usualBuckets = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600,
    ]

    /// The buckets of the metric of this name, which may be one of the user's program.
    static func buckets(of label: String) -> [Double] {
        FleetMetric(rawValue: label)?.buckets ?? usualBuckets
    }
}
