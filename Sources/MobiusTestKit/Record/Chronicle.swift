import MobiusEngine
import MobiusJournal
import MobiusWire

/// What really happened in a run, and when: kept by the world, never asked of the machines.
///
/// What breaks a promise at once is complained about at once; the rest when the run is over.
final class Chronicle {
    /// One attempt as its handler lived it.
    struct Run {
        enum End {
            case finished
            case failed(retryable: Bool, reason: String)
        }

        let process: String
        /// The worker it runs in; `nil` for the coordinator itself.
        let worker: Incarnation?
        let effect: Payload
        let start: Moment
        /// Its events, in the order in which the handler sent them.
        var events: [Payload] = []
        /// Which of them no program can read, by number.
        var nonsense: Set<Int> = []
        var end: End?
        var endedAt: Moment?
        /// For how long it asked to wait before the next attempt, in milliseconds.
        var delay: UInt32 = 0
        var isCancelled = false
        /// Whether it was still at work when its worker, which was told to leave, gave it up.
        var isGivenUp = false
        /// When its handler said something last, or that its work goes on.
        var progress: Moment
        /// For how long it said nothing at all, at most, before that.
        var silence = Duration.zero
        var hangs = false
    }

    /// How an effect ended on disk.
    enum Ending: Equatable {
        case report(AttemptID, number: UInt32)
        case failure
        case timer
        case silent
    }

    /// An effect as it was asked for.
    struct Asked {
        let effect: Payload
        let plan: EffectPlan
        /// By the calendar of the coordinator that asked.
        let time: WallTime
    }

    struct Source: Hashable {
        let loop: LoopID
        let key: SourceKey
    }

    /// What one coordinator process did.
    struct Life {
        /// The sources that it applied, in order.
        var applied: [LoopID: [SourceKey]] = [:]
        var sources: Set<Source> = []
        /// Effects whose failure it applied, with the newest round.
        var failed: [EffectID: UInt32] = [:]
        /// The newest attempt that it sent.
        var sent: [EffectID: Attempt] = [:]
        /// When it first sent each attempt.
        var sentAt: [AttemptID: Moment] = [:]
        /// Attempts that it told workers to give up.
        var dropped: Set<AttemptID> = []
        /// When it heard that the event which asked for an effect is on disk.
        var released: [EffectID: Moment] = [:]
        /// When it first sent attempts under each limit.
        var started: [String: [Moment]] = [:]
        /// Where effects of each key went, while the workers were the same.
        var homes: [String: Int] = [:]
        /// Effects of the journal at its start.
        var resumed: [EffectID: Moment] = [:]
        var joined: Set<Incarnation> = []
        var gone: Set<Incarnation> = []
        /// Attempts whose last reports came while it was stopped, and wait to be read.
        var unread: Set<AttemptID> = []
        /// Workers that it took for lost.
        var lost: Set<Incarnation> = []
        /// When it last gave each worker up.
        var gaveUp: [Incarnation: Moment] = [:]
    }

    let complain: (Promise, String) -> Void
    let planOf: (Payload) -> EffectPlan?
    let timing: SessionTiming
    let maximumPayload: Int
    /// Whether no worker and no message comes to harm, but for coordinators that come and go.
    let sparesWorkers: Bool
    /// Whether the calendar jumps in this run.
    var hasJumped: Bool

    // What is on disk.
    var next: [LoopID: UInt64] = [:]
    var sources: Set<Source> = []
    var journal: [LoopID: [(source: SourceKey, writer: UInt64)]] = [:]
    var asked: [EffectID: Asked] = [:]
    /// In the order in which they were asked for.
    var askedOrder: [EffectID] = []
    var endings: [EffectID: Ending] = [:]
    /// All before this have ended.
    private var firstOpen = 0
    /// The number of the newest event of each attempt on disk.
    var reported: [AttemptID: Int] = [:]

    /// Attempts of which a coordinator of their own epoch acknowledged that they failed.
    var failures: [EffectID: Set<AttemptID>] = [:]
    /// Failed attempts that are counted on disk.
    var setbacks: [EffectID: UInt32] = [:]
    /// The attempt of an effect that runs at most once that is on disk as handed out.
    var handedOut: [EffectID: Attempt] = [:]
    /// When each timer was due that fired last.
    var fired: [EffectID: WallTime] = [:]
    var letters: [EffectID: DeadLetter] = [:]
    /// How often each effect was revived.
    var rounds: [EffectID: UInt32] = [:]
    /// Effects that may end without a word of a handler: they were cancelled, or nobody wants to hear of their failure.
    var excused: Set<EffectID> = []

    // What processes did.
    var runs: [AttemptID: Run] = [:]
    /// The attempts of each effect whose handlers were started, in that order.
    var attempts: [EffectID: [AttemptID]] = [:]
    var runsOf: [String: [AttemptID]] = [:]
    /// Processes that are gone.
    var dead: Set<String> = []
    var lives: [UInt64: Life] = [:]
    /// Which place each attempt was sent to.
    var receivers: [AttemptID: Int] = [:]
    /// Outside events that were confirmed.
    var confirmed: Set<Source> = []

    init<Program>(
        _ scenario: Scenario<Program>, planOf: @escaping (Payload) -> EffectPlan?,
        complain: @escaping (Promise, String) -> Void
    ) {
        self.planOf = planOf
        timing = scenario.timing
        maximumPayload = Int(scenario.maximumPayload)
        sparesWorkers = scenario.faults.sparesWorkers
        hasJumped = scenario.faults.troubles.contains(.clockJump)
        self.complain = complain
    }

    /// How many effects were asked for and have not ended.
    var pendingCount: Int { asked.count - endings.count }

    /// Effects that were asked for and have not ended.
    var pending: [EffectID] {
        while firstOpen < askedOrder.count, endings[askedOrder[firstOpen]] != nil { firstOpen += 1 }
        return askedOrder[firstOpen...].filter { endings[$0] == nil }
    }

    /// An effect that had ended goes on.
    func reopen(_ id: EffectID) {
        endings[id] = nil
        firstOpen = 0
    }
}
