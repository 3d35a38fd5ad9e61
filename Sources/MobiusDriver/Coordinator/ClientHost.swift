package import MobiusEngine
package import MobiusWire

/// What a ``CoordinatorDriver`` asks on behalf of clients, beside what its machine knows itself.
///
/// It is used by the driver's thread only. What needs the journal is answered later: through ``takeAnswers(_:)``, or by
/// the machine.
package protocol ClientHost: AnyObject {
    /// An event as its client sent it, with the type that it stands for.
    func event(from payload: Payload) -> Payload
    /// Whether a loop is there, or begins with any event.
    func welcomesEvents(for loop: LoopID) -> Bool
    /// Whether an event would begin this loop.
    func isNew(_ loop: LoopID) -> Bool
    /// A loop that begins with this event, if it is new and the event can be read.
    func opening(_ loop: LoopID, for event: Payload, key: String) throws(CoordinatorError) -> CoordinatorInput?
    /// What the host knows of the fleet.
    var status: FleetStatus { get }
    /// Lists dead letters.
    func letters(of loop: LoopID?, after: EffectID?, limit: Int, _ request: RequestID)
    /// Shows a dead letter.
    func letter(_ id: EffectID, _ request: RequestID)
    /// Tries a dead letter again; with a round only if it still is the one of that round.
    func retry(_ id: EffectID, round: UInt32?, _ request: RequestID)
    /// Takes a dead letter out; with a round only if it still is the one of that round.
    func drop(_ id: EffectID, round: UInt32?, _ request: RequestID)
    /// Lists held loops.
    func quarantine(after: LoopID?, limit: Int, _ request: RequestID)
    /// Shows a held loop.
    func quarantined(_ loop: LoopID, _ request: RequestID)
    /// Lets a held loop go on; with a sequence only if the event that holds it would get that number.
    func release(_ loop: LoopID, drop: Bool, sequence: UInt64?, _ request: RequestID)
    /// Hands over the answers that are there.
    func takeAnswers(_ give: (RequestID, ClientAnswer) throws -> Void) throws
}
