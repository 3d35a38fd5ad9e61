import MobiusJournal
import MobiusWire

// What a coordinator machine keeps about loops, and about records on their way to the disk.

struct LoopState: Equatable, Sendable {
    var nextSequence: UInt64
    /// Keys of outside events, so that the same key is applied once.
    var outsideKeys: RecentSet<String>
    /// Whether the journal knew more keys at the start than these.
    var forgetsKeys = false
}

/// Records on their way to the disk, and what their commit sets free.
struct JournalBatch: Equatable, Sendable {
    enum Settlement: Equatable, Sendable {
        case release(EffectID)
        /// That this attempt began is on disk: its order may leave.
        case start(AttemptID, Incarnation)
        /// The report is on disk; when it `ends` its effect, that is forgotten.
        case ack(Incarnation, ReportID, ends: Bool)
        /// All events before this failure are on disk: the effect is tried again after a pause.
        case retry(Incarnation, ReportID, pause: Duration)
        /// An event from outside is on disk, now or since it came for the first time.
        case confirm(RequestID, repeated: Bool)
        /// What an operator asked for is on disk.
        case done(RequestID)
        case forget(EffectID)
    }

    var records: [JournalRecord] = []
    var settlements: [Settlement] = []

    var isEmpty: Bool { records.isEmpty && settlements.isEmpty }
}

/// The last report of a worker's attempt, which brought no event.
struct SilentEnd: Equatable, Sendable {
    let worker: Incarnation
    let report: ReportID
}

/// What the commit of a ticket sets free.
struct InFlight: Equatable, Sendable {
    let ticket: Ticket
    let settlements: [JournalBatch.Settlement]
}

/// The calendar, as of the newest word of it: what it says now follows from the edge's clock.
struct Calendar: Equatable, Sendable {
    private var time = WallTime(milliseconds: 0)
    private var moment: Moment?

    /// From which difference on it is a jump, and not two clocks that drift.
    private static let jump = Duration.milliseconds(500)

    /// Takes the newest word; answers how far the calendar jumped, or `nil` when it did not.
    mutating func set(_ newTime: WallTime, at now: Moment) -> Duration? {
        let difference = newTime - self.time(at: now)
        defer { (time, moment) = (newTime, now) }
        guard moment != nil, difference >= Self.jump || difference <= .zero - Self.jump else { return nil }
        return difference
    }

    func time(at now: Moment) -> WallTime {
        guard let moment else { return time }
        // Rounded down: a time that has not come is not said to have.
        let (seconds, attoseconds) = (now - moment).components
        return WallTime(milliseconds: time.milliseconds + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }

    /// When the calendar will say `time`, unless it jumps.
    func moment(of time: WallTime, at now: Moment) -> Moment {
        now + (time - self.time(at: now))
    }
}
