package import MobiusEngine
package import MobiusJournal
package import MobiusWire

/// Hosts the loops that a ``CoordinatorDriver`` applies events to, and their journal if they have one.
///
/// Durable loops have a journal; the loops of a worker pool have none. Used on the driver's thread only.
package protocol LoopHost: AnyObject {
    /// Whether the machine has stopped and the journal is closed, so that the driver can end.
    var hasEnded: Bool { get }
    /// The payload kinds of the events that workers report, as this build encodes them.
    var eventKinds: [PayloadKind] { get }
    /// The numbers of dead letters in the journal.
    var letters: LetterCounts { get }

    /// Passes a slice of the inputs from other threads to the machine.
    ///
    /// - Returns: whether more inputs wait, to be taken after the next flush, so that heartbeats are sent in time.
    func takeInputs(at now: Moment, _ tell: (CoordinatorInput) throws -> Void) throws -> Bool

    /// Applies an event, and sets the event's trace context if it has one.
    func apply(_ application: inout EventApplication) throws -> UpdateResult
    /// A loop is held from now on, with this last sequence and this number of pending effects.
    func recordHeldState(_ loop: LoopID, sequence: UInt64, pending: Int)
    /// Applies an effect's failure to the loop; returns `applied`, `unreadable`, `completedWithoutEvent` or `hold`.
    func applyFailure(
        _ id: EffectID, effect: Payload, _ failure: EffectFailure, round: UInt32
    ) throws -> CoordinatorInput
    /// Applies what another loop told an effect of this one; returns `applied`, `unreadable`, `completedWithoutEvent` or `hold`.
    func applyAnswer(_ id: EffectID, effect: Payload, _ reply: LoopReply) throws -> CoordinatorInput
    /// Applies a due timer to the loop; returns `applied`, `unreadable`, `completedWithoutEvent` or `hold`.
    func applyTimer(_ id: EffectID, effect: Payload, due: WallTime, ends: Bool) throws -> CoordinatorInput
    /// Applies the event that an effect is for the loop `target`; returns `applied`, `unreadable`, `completedWithoutEvent`,
    /// `undelivered`, `endAlong` for its end, or `hold` for a loop that is held from now on.
    ///
    /// A `target` that does not exist begins before, with an input to `tell`, if the errand `begins` it; for a question only if it does
    /// not refuse the event: then this returns `answered`.
    func deliver(
        _ id: EffectID, effect: Payload, to target: LoopID, as errand: LoopErrand,
        _ tell: (CoordinatorInput) throws -> Void
    ) throws -> CoordinatorInput
    /// Begins the loop of an event that follows the loop's end; it is decoded before, because the start is journaled.
    func beginAgain(for application: EventApplication) throws -> Opening
    /// The loop has ended, with the last event that it applied.
    func ended(_ loop: LoopID)
    /// Cancels a handler in this process.
    func cancelLocal(_ id: AttemptID)
    /// Removes ended loops from the journal; an input reports it later.
    func remove(_ loops: [LoopID])
    /// Selects the pending effects of the loop that an effect cancels; returns `cancelSelected`.
    func selectCancelled(
        _ id: EffectID, effect: Payload, among underWay: [(id: EffectID, effect: Payload)]
    ) throws -> CoordinatorInput
    /// Looks up a key in the journal; the result arrives as an input.
    func lookUp(_ request: RequestID, _ loop: LoopID, key: String, event: Payload)
    /// Confirms an event whose key was applied before, as it was confirmed then, or refuses it when it is another one; the journal
    /// knows that.
    func confirmAgain(_ request: RequestID, _ loop: LoopID, key: String, _ repetition: Repetition)
    /// Appends records; `state` returns the machine's state of a loop directly after them.
    ///
    /// - Returns: whether the records are already written; otherwise an input reports it later.
    func append(
        _ ticket: Ticket, _ records: [JournalRecord], state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?
    ) throws -> Bool
    /// Runs an effect in this process; `traceparent` is its W3C trace context, or empty.
    func runLocal(_ id: AttemptID, _ effect: Payload, traceparent: String)
    /// Events of an effect in this process are on disk: its handler may send that many events and bytes more.
    func acknowledged(_ id: AttemptID, events: Int, bytes: Int)
    /// Answers an external sender in this process.
    func answer(_ request: RequestID, _ answer: ClientAnswer) throws
    /// Stores loops as idle; `last` returns a loop's last event. `tell` gets `parked` and `stay`, now or as an input.
    func evict(
        _ loops: [LoopID], _ last: (LoopID) -> (sequence: UInt64, time: WallTime?)?,
        _ tell: (CoordinatorInput) throws -> Void
    ) throws
    /// An idle loop leaves memory.
    func unload(_ loop: LoopID)
    /// Keeps an event until its loop was read from the journal; returns `false` when too much waits.
    func wait(_ request: RequestID, _ loop: LoopID, key: String, event: Payload) -> Bool
    /// The number of events and requests that wait for a loop.
    func waitingCount(of loop: LoopID) -> Int
    /// Hands in the first that waited for a loop that was read: an event to `tell`, a request to `handle`.
    func takeWaiting(
        _ loop: LoopID, at now: Moment, _ tell: (CoordinatorInput) throws -> Void,
        _ handle: (ClientRequest, RequestID, String) throws -> Void
    ) throws
    /// The machine has stopped: cancels local handlers and closes the journal.
    func stop(state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?)
}

/// The result of beginning a loop for an event.
package enum Opening {
    /// The loop begins with this input.
    case begins(CoordinatorInput)
    /// The event could not be decoded, or the loop cannot begin.
    case refused(ClientRefusal)
    /// `update` refuses the event, for this reason.
    case refusedByProgram(String)
}

/// The result of applying an event.
package enum UpdateResult {
    /// The event was applied and requests these effects.
    case effects(OneOrMany<PlannedEffect>)
    /// The event could not be decoded.
    case unreadable(reason: String)
    /// The loop is held, because of this event or an earlier one.
    case held

    /// The result as an input for the machine.
    package func input(for application: EventApplication) -> CoordinatorInput {
        switch self {
        case .effects(let effects): .applied(application, effects: effects.all)
        case .unreadable(let reason): .unreadable(application, reason: reason)
        case .held: .hold(application.loop)
        }
    }
}

extension LoopHost {
    package func acknowledged(_ id: AttemptID, events: Int, bytes: Int) {}

    package func recordHeldState(_ loop: LoopID, sequence: UInt64, pending: Int) {}

    package func beginAgain(for application: EventApplication) throws -> Opening {
        preconditionFailure("Only a coordinator's loops begin again.")
    }

    package func ended(_ loop: LoopID) {}

    package func cancelLocal(_ id: AttemptID) {}

    package func remove(_ loops: [LoopID]) {}

    package func applyAnswer(_ id: EffectID, effect: Payload, _ reply: LoopReply) throws -> CoordinatorInput {
        preconditionFailure("Effects that ask other loops never reach a machine without them.")
    }

    package func deliver(
        _ id: EffectID, effect: Payload, to target: LoopID, as errand: LoopErrand,
        _ tell: (CoordinatorInput) throws -> Void
    ) throws -> CoordinatorInput {
        preconditionFailure("Events for other loops reach only a coordinator.")
    }
}
