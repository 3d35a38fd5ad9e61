/// What a client asks of a coordinator.
///
/// Each may be asked again when no answer came, also of the coordinator's next run: asking twice does nothing twice.
public enum ClientRequest: Hashable, Sendable {
    /// The longest key of an event, in bytes of UTF-8.
    public static let maximumKey = 255
    /// The longest page that a coordinator gives.
    public static let maximumPage: UInt32 = 1000

    /// SEND: apply this event, unless one with this key was applied to this loop.
    ///
    /// The key has 1 to ``maximumKey`` bytes. An empty type name of the event stands for the loop's own type of events. A loop
    /// that does not exist begins with the event; unless it `begins` so, only where the coordinator's loops begin by themselves.
    case send(loop: LoopID, key: String, event: Payload, begins: Bool = true)
    /// LIST-EFFECTS: pending effects behind `after`, in the order of their ids; at most `limit`, 0 for a full page.
    case effects(loop: LoopID?, pool: String?, after: EffectID?, limit: UInt32)
    /// LIST-LETTERS: dead letters behind `after`, in the order of their ids; at most `limit`, 0 for a full page.
    case letters(loop: LoopID?, after: EffectID?, limit: UInt32)
    /// SHOW-LETTER: a dead letter with its payload.
    case letter(EffectID)
    /// RETRY-LETTER: make it a pending effect again; with a round only if it still is the dead letter of that round.
    case retry(EffectID, round: UInt32?)
    /// DROP-LETTER: forget it; with a round only if it still is the dead letter of that round.
    case drop(EffectID, round: UInt32?)
    /// LIST-QUARANTINE: held loops behind `after`, in the order of their names; at most `limit`, 0 for a full page.
    case quarantine(after: LoopID?, limit: UInt32)
    /// SHOW-QUARANTINE: a held loop with the event that holds it.
    case quarantined(LoopID)
    /// RELEASE: try the event again, or drop it; with a sequence number only if that event still holds the loop.
    case release(LoopID, drop: Bool, sequence: UInt64?)
    /// ASK-STATUS: how is everybody?
    case status
    /// SHOW-EFFECT: a pending effect with its payload.
    case effect(EffectID)
    /// CHECK-EVENT: read this event as SEND would, and answer it as the program writes it; nothing is applied.
    case check(loop: LoopID, key: String, event: Payload)
    /// LIST-LOOPS: loops behind `after` whose names begin with `prefix`, in the order of their names' bytes; at most `limit`, 0 for a full page.
    case loops(prefix: String, state: LoopSummary.State?, after: LoopID?, limit: UInt32)
    /// READ-MODEL: the model of a loop, with all events that were confirmed before; with a number, the model directly after that event.
    case model(LoopID, at: UInt64? = nil)
    /// WATCH-MODEL: the same, but not before the model is another than the one that the client has `seen`.
    case watch(LoopID, seen: ModelVersion?)
    /// READ-HISTORY: what happened in a loop, in journal order.
    case history(HistoryRequest)
    /// READ-SCHEMA: the forms of the program's events, effects and models in JSON.
    case schema

    /// Its command.
    public var command: ClientCommand {
        switch self {
        case .send: .send
        case .effects: .listEffects
        case .letters: .listLetters
        case .letter: .showLetter
        case .retry: .retryLetter
        case .drop: .dropLetter
        case .quarantine: .listQuarantine
        case .quarantined: .showQuarantine
        case .release: .release
        case .status: .askStatus
        case .effect: .showEffect
        case .check: .checkEvent
        case .loops: .listLoops
        case .model: .readModel
        case .watch: .watchModel
        case .history: .readHistory
        case .schema: .readSchema
        }
    }

    /// The loop that it is about; `nil` when it is about all loops, or none.
    public var loop: LoopID? {
        switch self {
        case .send(let loop, _, _, _), .check(let loop, _, _), .release(let loop, _, _), .quarantined(let loop): loop
        case .model(let loop, _), .watch(let loop, _): loop
        case .history(let request): request.loop
        case .letter(let id), .effect(let id), .retry(let id, _), .drop(let id, _): id.loop
        case .effects(let loop, _, _, _), .letters(let loop, _, _): loop
        case .quarantine, .status, .loops, .schema: nil
        }
    }

    /// Whether every shard answers it for its own loops.
    public var isAboutAllLoops: Bool { loop == nil && self != .schema }

    /// The bytes of payload that it carries.
    public var payloadBytes: Int {
        switch self {
        case .send(_, _, let event, _), .check(_, _, let event): event.bytes.count
        default: 0
        }
    }

    /// Whether its answer may contain events, effects or models that somebody else sent or made.
    public var asksForPayloads: Bool {
        switch self {
        case .model, .watch, .history, .effect, .letter, .quarantined: true
        default: false
        }
    }
}

/// A request under the number that its client gave it.
public struct NumberedRequest: Hashable, Sendable {
    /// Chosen by the client, from 1 and unique among its requests: the answer repeats it.
    public var number: UInt64
    /// What is asked.
    public var request: ClientRequest
    /// The W3C trace context of an event that is sent, or empty; other requests have none.
    public var traceparent: String
    /// Whether people will see the answer, so that the program masks what they must not see; of requests that do not ask for
    /// payloads it is not said.
    public var isForPeople: Bool
    /// In which order an event that is sent is applied with others of the connection; of other requests it is not said.
    public var order: SendOrder
    /// How many shards the client knows, which it asks one by one about all loops; of other requests it is not said.
    public var shards: UInt32
    /// Who sends an event, if a coordinator passes it on, up to 255 bytes; empty otherwise, and of other requests.
    public var sender: String

    /// Numbers a request.
    public init(
        number: UInt64, request: ClientRequest, traceparent: String = "", isForPeople: Bool = false,
        order: SendOrder = .free, shards: UInt32 = 1, sender: String = ""
    ) {
        self.number = number
        self.request = request
        self.traceparent = traceparent
        self.isForPeople = isForPeople
        self.order = order
        self.shards = shards
        self.sender = sender
    }
}
