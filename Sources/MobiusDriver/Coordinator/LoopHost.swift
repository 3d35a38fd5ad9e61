package import MobiusEngine
package import MobiusJournal
package import MobiusWire

/// The loops that a ``CoordinatorDriver`` applies events to, and whatever remembers them.
///
/// A durable loop has a journal; the loops of a worker pool have none. It is used by the driver's thread only.
package protocol LoopHost: AnyObject {
    /// Whether the driver is to end, because the machine has stopped and the journal is closed.
    var hasEnded: Bool { get }
    /// The kinds of the events that workers report, as this build writes them.
    var eventKinds: [PayloadKind] { get }
    /// How many dead letters are kept.
    var letterCount: Int { get }

    /// The calling thread uses it from now on.
    func moveHere()

    /// Tells the machine all that came from other threads.
    func takeInputs(_ tell: (CoordinatorInput) throws -> Void) throws

    /// Applies an event, whose trace it may fill in.
    func apply(_ application: inout Application) throws -> Advance
    /// Where a loop stood that is held from now on: its last event, and how many of its effects have not ended.
    func stands(_ loop: LoopID, sequence: UInt64, pending: Int)
    /// Tells the loop that an effect failed, and answers with `applied`, `unreadable`, `unheard` or `hold`.
    func applyFailure(
        _ id: EffectID, effect: Payload, _ failure: EffectFailure, round: UInt32
    ) throws -> CoordinatorInput
    /// Tells the loop that a timer's time has come, and answers with `applied`, `unreadable`, `unheard` or `hold`.
    func applyTimer(_ id: EffectID, effect: Payload, due: WallTime, ends: Bool) throws -> CoordinatorInput
    /// Finds out which of the loop's effects under way an effect cancels, and answers with `cancelSelected`.
    func selectCancelled(
        _ id: EffectID, effect: Payload, among underWay: [(id: EffectID, effect: Payload)]
    ) throws -> CoordinatorInput
    /// Looks a key up in the journal; the answer comes with the inputs.
    func lookUp(_ request: RequestID, _ loop: LoopID, key: String, event: Payload)
    /// Writes records; `state` is the machine's, right behind them.
    ///
    /// - Returns: whether that is done already; otherwise an input says so later.
    func append(
        _ ticket: Ticket, _ records: [JournalRecord], state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?
    ) throws -> Bool
    /// Runs an effect in this process, which belongs to a trace or to none.
    func runLocal(_ id: AttemptID, _ effect: Payload, traceparent: String)
    /// So many events of an effect in this process are on disk: its handler may send as many more.
    func acknowledged(_ id: AttemptID, events: Int, bytes: Int)
    /// Tells a sender outside of the effects what became of its event.
    func answer(_ request: RequestID, _ result: Result<Void, CoordinatorError>)
    /// The machine has stopped: ends what is left.
    func stop(state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?)
}

/// What came of an event that was to be applied.
package enum Advance {
    /// The loop asks for these effects.
    case effects(Few<PlannedEffect>)
    /// The loop could not read it.
    case unreadable(reason: String)
    /// The loop is held: because of this event, or of one before it.
    case held

    /// The same as an answer to the machine.
    package func input(for application: Application) -> CoordinatorInput {
        switch self {
        case .effects(let effects): .applied(application, effects: effects.all)
        case .unreadable(let reason): .unreadable(application, reason: reason)
        case .held: .hold(application.loop)
        }
    }
}

extension LoopHost {
    package func acknowledged(_ id: AttemptID, events: Int, bytes: Int) {}

    package func moveHere() {}
    package func stands(_ loop: LoopID, sequence: UInt64, pending: Int) {}
}
