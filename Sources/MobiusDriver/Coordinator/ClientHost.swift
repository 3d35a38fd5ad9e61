package import MobiusEngine
package import MobiusWire

/// Serves the client requests that a ``CoordinatorDriver`` cannot answer from its machine alone.
///
/// Used on the driver's thread only. Requests that need the journal are answered later, through ``takeAnswers(_:)`` or
/// by the machine.
package protocol ClientHost: AnyObject {
    /// Returns a client's event; one without a type gets the program's event type and version.
    func event(from payload: Payload) -> Payload
    /// Whether a loop exists, or any client event may start it.
    func welcomesEvents(for loop: LoopID) -> Bool
    /// Whether an event would start this loop.
    func isNew(_ loop: LoopID) -> Bool
    /// Starts a loop for its first event and returns the machine's first input for it; `nil` when the loop is not new.
    ///
    /// - Throws: ``CoordinatorError`` with code `invalidEvent` when the event cannot be decoded, or `program` when an
    ///   effect of the new loop has no route.
    func opening(_ loop: LoopID, for event: Payload, key: String) throws(CoordinatorError) -> CoordinatorInput?
    /// Decodes an event as for a send, and returns it as this program writes it; nothing is applied.
    ///
    /// - Throws: ``CoordinatorError`` with code `invalidEvent` when the event cannot be decoded.
    func checked(_ event: Payload, for loop: LoopID, key: String) throws(CoordinatorError) -> Payload
    /// Whether an operator dropped the event with this key, so that it is never applied.
    func hasDropped(key: String, of loop: LoopID) -> Bool
    /// The pools that the program's routes name.
    var poolNames: [String] { get }
    /// The host's part of the fleet's status.
    var status: FleetStatus { get }
    func letters(of loop: LoopID?, after: EffectID?, limit: Int, _ request: RequestID)
    func letter(_ id: EffectID, _ request: RequestID)
    /// Retries a dead letter; with a round, only if the dead letter is still of that round.
    func retry(_ id: EffectID, round: UInt32?, _ request: RequestID)
    /// Removes a dead letter; with a round, only if the dead letter is still of that round.
    func drop(_ id: EffectID, round: UInt32?, _ request: RequestID)
    /// Lists held loops by name.
    func quarantine(after: LoopID?, limit: Int, _ request: RequestID)
    /// Shows a held loop and the event that holds it.
    func quarantined(_ loop: LoopID, _ request: RequestID)
    /// Releases a held loop; with a sequence, only if the event that holds it has that number.
    func release(_ loop: LoopID, drop: Bool, sequence: UInt64?, _ request: RequestID)
    /// Passes all ready answers to `give` and removes them.
    func takeAnswers(_ give: (RequestID, ClientAnswer) throws -> Void) throws
}
