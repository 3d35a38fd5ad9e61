import MobiusCore
import MobiusEngine
package import MobiusJournal
import MobiusProgram
package import MobiusWire

/// The record of what happened in a run, and when; the simulated world keeps it, independently of the machines.
///
/// A broken promise is reported at once if it can be detected at once, otherwise at the end of the run.
package final class History {
    /// One run of a handler, as the handler performed it.
    struct Run {
        enum End {
            case finished
            case failed(retryable: Bool, reason: String)
        }

        let process: String
        /// The worker's incarnation; `nil` for a handler in the coordinator.
        let worker: Incarnation?
        let effect: Payload
        let start: Moment
        /// Its events, in the order in which the handler sent them.
        var events: [Payload] = []
        /// The numbers of those events that no program can decode.
        var nonsense: Set<Int> = []
        var end: End?
        var endedAt: Moment?
        /// The pause before the next attempt that the handler asked for, in milliseconds.
        var delay: UInt32 = 0
        var isCancelled = false
        /// Whether the handler was still running when its draining worker gave it up.
        var isGivenUp = false
        /// The time at which the handler last sent an event or reported progress.
        var progress: Moment
        /// The longest time without progress before that.
        var silence = Duration.zero
    }

    /// The end of an effect on disk.
    enum Ending: Equatable {
        case report(AttemptID, number: UInt32)
        case failure
        case timer
        case answer
        case silent
    }

    /// A loop that sends to another one.
    struct Pair: Hashable {
        let sender: LoopID
        let receiver: LoopID
    }

    /// A requested effect.
    package struct Asked {
        package let effect: Payload
        package let plan: EffectPlan
        /// The time at which it was requested, by the coordinator's calendar.
        let time: WallTime
    }

    package struct Source: Hashable {
        let loop: LoopID
        let key: SourceKey

        package init(loop: LoopID, key: SourceKey) {
            self.loop = loop
            self.key = key
        }
    }

    /// The actions of one coordinator process.
    struct EpochRecord {
        /// The sources of the applied events, in order.
        var applied: [LoopID: [SourceKey]] = [:]
        package var sources: Set<Source> = []
        /// The replies of `update` to the senders of the applied events from outside.
        var replies: [Source: SenderReply] = [:]
        /// The replies of `update` to the effects that asked it.
        var answers: [EffectID: SenderReply] = [:]
        /// The effects whose failure was applied, with the newest round.
        var failed: [EffectID: UInt32] = [:]
        /// The newest attempt of each effect that was sent.
        var sent: [EffectID: Attempt] = [:]
        /// The time at which each attempt was first sent.
        var sentAt: [AttemptID: Moment] = [:]
        /// The attempts that workers had to drop, by CANCEL or STALE.
        var dropped: Set<AttemptID> = []
        /// The attempts that failed by an event that cannot be read; as after a time-out the worker is told once that is on disk.
        var undecodable: Set<AttemptID> = []
        /// The attempts that took too long; their workers are told once the failure is on disk.
        var timedOut: Set<AttemptID> = []
        /// The time at which the commit of the event that requested each effect was reported to the process.
        var released: [EffectID: Moment] = [:]
        /// The loops that have ended, perhaps not on disk yet, with their last events: their effects are over.
        package var ends: [LoopID: UInt64] = [:]
        /// The times at which attempts under each limit were first sent.
        package var started: [String: [Moment]] = [:]
        /// The rates of each limit's routes.
        var rates: [String: [EffectLimit.Rate?]] = [:]
        /// The place to which effects of each affinity key were sent, since the set of workers last changed.
        var affinityPlaces: [String: Int] = [:]
        /// The number of times that other keys had a turn while an effect waited and its key had none.
        var overtaken: [EffectID: [Flow: Int]] = [:]
        /// Keys with effects that run at most once: the turn of these comes before their start is on disk, unseen.
        var unseen: Set<Flow> = []
        /// The timers that fired, and when they did last.
        var timers: [EffectID: Moment] = [:]
        /// The pending effects that were recovered from the journal at the start.
        var resumed: [EffectID: Moment] = [:]
        var joined: Set<Incarnation> = []
        var gone: Set<Incarnation> = []
        /// The attempts whose last reports arrived while the process was stopped, and wait to be read.
        var unread: Set<AttemptID> = []
        /// The workers that were considered lost.
        var lost: Set<Incarnation> = []
        /// The time at which each worker was last lost or left.
        var gaveUp: [Incarnation: Moment] = [:]
    }

    package let violated: (Promise, String) -> Void
    /// The number of shards, each of whose epochs differ by a multiple of it.
    let shards: UInt64
    /// The plan of an effect of a loop.
    let planOf: (Payload, LoopID) -> EffectPlan?
    /// The event of a loop that its effect's route makes of a reply.
    let answerOf: (Payload, LoopReply, LoopID) -> Payload?
    let timing: SessionTiming
    let maximumPayload: Int
    /// Whether all faults spare workers and messages; see ``FaultPlan/sparesWorkers``.
    let sparesWorkers: Bool
    /// Whether the calendar has jumped in this run, or may jump.
    var hasJumped: Bool

    // The contents of the disk.
    package var next: [LoopID: UInt64] = [:]
    package var sources: Set<Source> = []
    package var journal: [LoopID: [(source: SourceKey, writer: UInt64)]] = [:]
    package var requested: [EffectID: Asked] = [:]
    /// The requested effects, in the order of their requests.
    var askedOrder: [EffectID] = []
    var endings: [EffectID: Ending] = [:]
    /// The last event of each loop that has ended, and of those the ones that have not begun again.
    package var ends: [LoopID: UInt64] = [:]
    package var ended: Set<LoopID> = []
    /// The events up to which effects of removed loops end: a name that is used again has later ones.
    var removedUpTo: [LoopID: UInt64] = [:]
    /// The sources of their events, which may come again.
    var forgotten: Set<Source> = []
    /// The number of times that each loop has begun.
    package var begins: [LoopID: Int] = [:]
    /// The effects whose events were sent to other shards, by their keys there.
    package var carried: [String: EffectID] = [:]
    /// What loops told the effects that asked them.
    package var told: [EffectID: LoopReply] = [:]
    /// The same of loops that would have begun, and did not.
    var refusals: [EffectID: SenderReply] = [:]
    /// The effects that ask whose events operators dropped.
    var droppedQuestions: Set<EffectID> = []
    /// What operators wanted to do to effects, and what they did.
    var wantedActs: [EffectID: [Act]] = [:]
    package var acts: [EffectID: [Act]] = [:]
    /// The pools that are paused, as a coordinator of their shard has confirmed.
    var paused: Set<PausedPool> = []
    /// The loops that operators wanted to end, and those that they have ended.
    var wantedEnds: Set<LoopID> = []
    package var endedByHand: Set<LoopID> = []
    /// What loops have left for their ends, by the loops that get it.
    var left: [LoopID: [EffectID]] = [:]
    /// The effects that cancel others, and were asked for which.
    var selected: Set<EffectID> = []
    /// What was left for loops that were not there any more, or was cancelled.
    var missed: Set<EffectID> = []
    /// The newest effect of each loop that another one has taken as its event.
    var delivered: [Pair: EffectID] = [:]
    /// The index in `askedOrder` before which all effects have ended.
    private var firstOpen = 0
    /// The number of the newest event of each attempt on disk.
    var reported: [AttemptID: Int] = [:]

    /// The failed attempts of each effect whose failure was acknowledged by a coordinator of the attempt's epoch.
    var failures: [EffectID: Set<AttemptID>] = [:]
    /// The number of failed attempts on disk.
    var retries: [EffectID: UInt32] = [:]
    /// Effects of which the journal says why an attempt failed, before it counts that.
    var explained: Set<EffectID> = []
    /// The attempt of each at-most-once effect whose start is on disk.
    var handedOut: [EffectID: Attempt] = [:]
    /// The due time for which each timer last fired.
    var fired: [EffectID: WallTime] = [:]
    package var deadLetters: [EffectID: DeadLetter] = [:]
    /// The round of each requeued effect: how often it was requeued.
    package var rounds: [EffectID: UInt32] = [:]
    /// Effects that may end without a report of a handler: they were cancelled, or their failure makes no event.
    package var mayEndSilently: Set<EffectID> = []

    // The actions of processes.
    var runs: [AttemptID: Run] = [:]
    /// The attempts of each effect whose handlers started, in the order of their starts.
    var attempts: [EffectID: [AttemptID]] = [:]
    var runsOf: [String: [AttemptID]] = [:]
    /// The names of worker processes that have ended.
    var dead: Set<String> = []
    var lives: [UInt64: EpochRecord] = [:]
    /// The place to which each attempt was sent.
    var receivers: [AttemptID: Int] = [:]
    /// The number of each event from outside, and of the last one of each loop that was confirmed.
    var numbers: [Source: UInt64] = [:]
    package var lastConfirmed: [LoopID: UInt64] = [:]
    /// The reply of `update` to the sender of each event from outside that is on disk.
    var replies: [Source: SenderReply] = [:]

    init<Program>(
        _ fleet: FleetPlan<Program>, violated: @escaping (Promise, String) -> Void
    ) {
        let functions = fleet.functions
        var planners: [LoopID: any PayloadLoop] = [:]
        func planner(_ loop: LoopID) -> any PayloadLoop {
            let planner =
                planners[loop]
                ?? functions.loop(loop, functions.first(of: loop, in: LoopContext(loop: loop.name)).model).payloads
            planners[loop] = planner
            return planner
        }
        planOf = { effect, loop in try? planner(loop).plan(effect) }
        answerOf = { effect, reply, loop in try? planner(loop).event(ofAnswer: reply.reply, effect: effect) }
        shards = UInt64(fleet.shards)
        timing = fleet.timing
        maximumPayload = Int(fleet.maximumPayload)
        sparesWorkers = fleet.faults.sparesWorkers
        hasJumped = fleet.faults.troubles.contains(.clockJump)
        self.violated = violated
    }

    /// Whether no later epoch of the same shard is known.
    func isNewest(_ epoch: UInt64) -> Bool {
        lives.keys.allSatisfy { $0 <= epoch || ($0 - epoch) % shards != 0 }
    }

    /// The number of pending effects.
    package var pendingCount: Int { requested.count - endings.count }

    /// The pending effects: requested and not ended.
    package var pending: [EffectID] {
        while firstOpen < askedOrder.count, endings[askedOrder[firstOpen]] != nil { firstOpen += 1 }
        return askedOrder[firstOpen...].filter { endings[$0] == nil }
    }

    /// Makes an ended effect pending again.
    func reopen(_ id: EffectID) {
        endings[id] = nil
        firstOpen = 0
    }
}
