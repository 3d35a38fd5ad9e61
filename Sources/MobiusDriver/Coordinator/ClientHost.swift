package import MobiusEngine
package import MobiusJournal
package import MobiusWire

/// Serves the client requests that a ``CoordinatorDriver`` cannot answer from its machine alone.
///
/// Used on the driver's thread only. Requests that need the journal are answered later, through ``takeAnswers(_:)`` or
/// by the machine.
package protocol ClientHost: AnyObject {
    /// Returns a client's event; one without a type gets the program's event type and version.
    func event(from payload: Payload, for loop: LoopID) -> Payload
    /// Whether a loop exists, or any client event may start it.
    func welcomesEvents(for loop: LoopID) -> Bool
    /// Whether an event would start this loop.
    func isNew(_ loop: LoopID) -> Bool
    /// Starts a loop for its first event and returns the machine's first input for it; `nil` when the loop is not new.
    ///
    /// - Throws: ``CoordinatorError`` with code `invalidEvent` when the event cannot be decoded, `refusedByProgram` when
    ///   `update` refuses it, or `program` when an effect of the new loop has no route.
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
    /// Lists dead letters of loops whose names begin so, by their ids.
    func letters(of loop: LoopID?, prefix: String, after: EffectID?, limit: Int, _ request: RequestID)
    func letter(_ id: EffectID, _ request: RequestID)
    /// Retries a dead letter; with a round, only if the dead letter is still of that round.
    ///
    /// - Parameter name: The name of who asks, for the history; `nil` where clients need no keys.
    func retry(_ id: EffectID, round: UInt32?, by name: String?, _ request: RequestID)
    /// Removes a dead letter; with a round, only if the dead letter is still of that round.
    func drop(_ id: EffectID, round: UInt32?, by name: String?, _ request: RequestID)
    /// Stores a pool's pause, unless it has one, or with `nil` that it has none; the machine is told once that is on disk.
    ///
    /// - Parameter name: The name of who asks, for the log.
    func pause(_ pool: String, _ pause: PoolPause?, by name: String, _ request: RequestID)
    /// Lists held loops whose names begin so, by name.
    func quarantine(prefix: String, after: LoopID?, limit: Int, _ request: RequestID)
    /// Shows a held loop and the event that holds it.
    func quarantined(_ loop: LoopID, _ request: RequestID)
    /// Releases a held loop; with a sequence, only if the event that holds it has that number.
    func release(_ loop: LoopID, drop: Bool, sequence: UInt64?, _ request: RequestID)
    /// Lists the pending effects of a held loop, which the journal keeps.
    func heldEffects(of loop: LoopID, pool: String?, after: EffectID?, limit: Int, _ request: RequestID)
    /// Shows a pending effect of a held loop.
    func heldEffect(_ id: EffectID, _ request: RequestID)
    /// Computes the model of a held loop after the last event that was applied.
    func lastModel(ofHeld loop: LoopID, _ request: RequestID)
    /// Whether a loop is not in memory, and perhaps on disk.
    func isAway(_ loop: LoopID) -> Bool
    /// Keeps a request until its loop was read from the journal; returns `false` when too much waits.
    func wait(_ request: ClientRequest, for loop: LoopID, _ id: RequestID, traceparent: String) -> Bool
    /// Reads a page of the journal's loops; see ``takeLists(_:)``.
    func stored(_ query: LoopListing, _ request: RequestID)
    /// Passes all pages that were read to `give` and removes them.
    func takeLists(_ give: (RequestID, LoopListing, [StoredLoop]) throws -> Void) throws
    /// Finds loops by their facts; see ``takeFound(_:)``.
    func find(_ query: FactListing, _ request: RequestID)
    /// Passes all pages of found loops to `give` and removes them.
    func takeFound(_ give: (RequestID, FoundPage) throws -> Void) throws
    /// Returns the status of a held loop; `nil` for any other.
    func heldStatus(of loop: LoopID) -> LoopStatus?
    /// Requests the current model of a loop, or the next one if the client has seen the current one.
    func model(of loop: LoopID, seen: ModelVersion?, _ request: RequestID, at now: Moment)
    /// Passes the encoded models that are to be sent once their events are on disk, and removes them.
    func takeModels(_ give: (EncodedModel) throws -> Void) throws
    /// An encoded model was sent.
    func sent(_ model: EncodedModel)
    /// The time at which ``expireWatches(at:)`` is to be called; `nil` for never.
    var nextReadDeadline: Moment? { get }
    /// Answers a request that waits for a loop's next event, because its client is gone; does nothing if it does not wait.
    func unwatch(_ loop: LoopID, _ request: RequestID)
    /// Answers the watchers that have waited long enough.
    func expireWatches(at now: Moment)
    /// Requests a page of a loop's history.
    func history(_ query: HistoryRequest, _ request: RequestID)
    /// Requests the model directly after an event.
    func model(of loop: LoopID, after sequence: UInt64, _ request: RequestID)
    /// Requests the forms of the program's events, effects and models.
    func schema(_ request: RequestID)
    /// Whether the program masks what people must not see.
    func masksPayloads(of loop: LoopID) -> Bool
    /// Masks the payloads in an answer, which are of this loop; the masked answer arrives through ``takeAnswers(_:)``.
    func mask(_ answer: ClientAnswer, of loop: LoopID, for requests: [RequestID])
    /// Passes all ready answers to `give` and removes them.
    func takeAnswers(_ give: (RequestID, ClientAnswer) throws -> Void) throws
}
