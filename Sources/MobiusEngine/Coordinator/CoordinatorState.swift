import MobiusJournal
import MobiusWire

// What a coordinator machine keeps about loops, effects, workers and pools.

struct LoopState: Equatable, Sendable {
    var nextSequence: UInt64
    /// Keys of outside events, so that the same key is applied once.
    var outsideKeys: RecentSet<String>
}

struct EffectState: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        /// Asked for, not on disk.
        case committing
        /// Recovered: a worker may still hold it, so it waits for the end of the grace time.
        case adoptable
        /// Waits in its pool's queue.
        case queued
        /// Waits for its next attempt after a failure that may pass.
        case delayed
        /// A worker has it.
        case running(Attempt, Incarnation)
        /// A local handler has it.
        case local(Attempt)
        /// Its last event was applied, and is not on disk; `nil` when no report ended it.
        case ending(ReportID?)
    }

    let effect: Payload
    let plan: EffectPlan
    var phase: Phase
    /// Attempts made in this epoch.
    var attempts: UInt32 = 0
    /// Attempts that counted as failed in this epoch.
    var failures = 0
    /// The newest report applied.
    var reported: ReportID?
    /// The newest report on disk.
    var committed: ReportID?

    init(_ planned: PlannedEffect, phase: Phase) {
        effect = planned.effect
        plan = planned.plan
        self.phase = phase
    }

    var pool: String? {
        guard case .pool(let pool) = plan.destination else { return nil }
        return pool
    }
}

struct PoolState: Equatable, Sendable {
    var queue = FIFO<EffectID>()
    var workers: [Incarnation] = []
    /// Whether the operator was told that nobody serves it.
    var noted = false
}

struct WorkerState: Equatable, Sendable {
    enum Health: Equatable, Sendable {
        case good
        /// Silent for a while.
        case suspect
        /// Its connection is gone since.
        case disconnected(Moment)
    }

    let incarnation: Incarnation
    var peer: Peer
    var session: UInt64
    var pools: [String]
    var health = Health.good
    var draining = false
    var lastHeard: Moment
    var creditTotal: UInt64
    var sent: UInt64 = 0
    /// What it should hold, and in how many of its lists in a row each was missing.
    var holding: [EffectID: UInt8] = [:]

    // What the next flush sends.
    var orders: [EffectOrder] = []
    var acks: [ReportID] = []
    var stales: [AttemptID] = []
    var cancels: [AttemptID] = []

    var free: UInt64 {
        guard health == .good, !draining, creditTotal > sent else { return 0 }
        return creditTotal - sent
    }
}

/// Records on their way to the disk, and what their commit sets free.
struct JournalBatch: Equatable, Sendable {
    enum Settlement: Equatable, Sendable {
        case release(EffectID)
        case ack(Incarnation, ReportID)
        case confirm(RequestID)
        case forget(EffectID)
    }

    var records: [JournalRecord] = []
    var settlements: [Settlement] = []

    var isEmpty: Bool { records.isEmpty && settlements.isEmpty }
}

/// What the commit of a ticket sets free.
struct InFlight: Equatable, Sendable {
    let ticket: Ticket
    let settlements: [JournalBatch.Settlement]
}

/// The newest `limit` members that were inserted.
struct RecentSet<Member: Hashable & Sendable>: Equatable, Sendable {
    private let limit: Int
    private var members: Set<Member> = []
    private var order = FIFO<Member>()

    init(limit: Int) {
        self.limit = limit
    }

    func contains(_ member: Member) -> Bool {
        members.contains(member)
    }

    /// Whether the member was new.
    @discardableResult
    mutating func insert(_ member: Member) -> Bool {
        guard members.insert(member).inserted else { return false }
        order.append(member)
        if order.count > limit, let oldest = order.popFirst() {
            members.remove(oldest)
        }
        return true
    }
}
