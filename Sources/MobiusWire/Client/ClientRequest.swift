/// A request of a client to a coordinator.
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
    /// LIST-LETTERS: dead letters behind `after`, of loops whose names begin with `prefix`, in the order of their ids; at most `limit`, 0 for a full page.
    case letters(loop: LoopID?, prefix: String = "", after: EffectID?, limit: UInt32)
    /// SHOW-LETTER: a dead letter with its payload.
    case letter(EffectID)
    /// RETRY-LETTER: make it a pending effect again; with a round only if it still is the dead letter of that round.
    case retry(EffectID, round: UInt32?)
    /// DROP-LETTER: forget it; with a round only if it still is the dead letter of that round.
    case drop(EffectID, round: UInt32?)
    /// ACT: do this to a pending effect, for this reason, which is in the history.
    case act(EffectID, EffectAct, why: String)
    /// END-LOOP: end this loop for good, for this reason, which is in the history.
    case end(LoopID, why: String)
    /// PAUSE-POOL: nothing new starts in this pool from now on, for this reason; one that is paused stays as it is.
    case pausePool(String, why: String)
    /// RESUME-POOL: this pool goes on.
    case resumePool(String)
    /// LIST-QUARANTINE: held loops behind `after` whose names begin with `prefix`, in the order of their names; at most `limit`, 0 for a full page.
    case quarantine(prefix: String = "", after: LoopID?, limit: UInt32)
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
    /// FIND-LOOPS: loops by the facts that their programs declare.
    case find(FactListing)
    /// READ-MODEL: the model of a loop, with all events that were confirmed before; with a number, the model directly after that event.
    case model(LoopID, at: UInt64? = nil)
    /// WATCH-MODEL: the same, but not before the model is another than the one that the client has `seen`.
    case watch(LoopID, seen: ModelVersion?)
    /// READ-HISTORY: what happened in a loop, in journal order.
    case history(HistoryRequest)
    /// READ-SCHEMA: the forms of the program's events, effects and models in JSON.
    case schema
    /// WHY: what a loop waits for, in sentences.
    case why(LoopID)
    /// ASK-RIGHTS: what the caller may do here, and how large an event may be.
    case rights
    /// STOP-WATCHING: the client of the WATCH-MODEL with this request's number is gone; that one may be answered, this one never is.
    case unwatch(LoopID)

    /// Its command.
    public var command: ClientCommand {
        switch self {
        case .send: .send
        case .effects: .listEffects
        case .letters: .listLetters
        case .letter: .showLetter
        case .retry: .retryLetter
        case .drop: .dropLetter
        case .act: .act
        case .end: .endLoop
        case .pausePool: .pausePool
        case .resumePool: .resumePool
        case .quarantine: .listQuarantine
        case .quarantined: .showQuarantine
        case .release: .release
        case .status: .askStatus
        case .effect: .showEffect
        case .check: .checkEvent
        case .loops: .listLoops
        case .find: .findLoops
        case .model: .readModel
        case .watch: .watchModel
        case .history: .readHistory
        case .schema: .readSchema
        case .why: .why
        case .rights: .askRights
        case .unwatch: .stopWatching
        }
    }

    /// The loop that it is about; `nil` when it is about all loops, or none.
    public var loop: LoopID? {
        switch self {
        case .send(let loop, _, _, _), .check(let loop, _, _), .release(let loop, _, _), .quarantined(let loop): loop
        case .model(let loop, _), .watch(let loop, _), .why(let loop), .unwatch(let loop), .end(let loop, _): loop
        case .history(let request): request.loop
        case .letter(let id), .effect(let id), .retry(let id, _), .drop(let id, _), .act(let id, _, _): id.loop
        case .effects(let loop, _, _, _), .letters(let loop, _, _, _): loop
        case .quarantine, .status, .loops, .find, .schema, .rights, .pausePool, .resumePool: nil
        }
    }

    /// Whether every shard answers it for its own loops.
    public var isAboutAllLoops: Bool { loop == nil && self != .schema && self != .rights }

    /// The bytes of payload that it carries.
    public var payloadBytes: Int {
        switch self {
        case .send(_, _, let event, _), .check(_, _, let event): event.bytes.count
        default: 0
        }
    }

    /// The key of its event, if it has one.
    package var eventKey: String? {
        switch self {
        case .send(_, let key, _, _), .check(_, let key, _): key
        default: nil
        }
    }

    /// Whether its event comes from a loop of another shard.
    package var isBetweenShards: Bool { eventKey.map(EventKey.isReserved) ?? false }

    /// A right that a client needs for a request.
    package enum Access {
        /// To send events, to list and look, to see models and histories, to change what operators change.
        case send, read, models, operate
        /// Nothing but to be admitted.
        case connect
    }

    /// The right that its client needs.
    package var access: Access {
        switch self {
        case .send, .check: .send
        case .effects, .effect, .letters, .letter, .quarantine, .quarantined, .status, .loops, .find, .why: .read
        case .schema, .rights, .unwatch: .connect
        case .model, .watch, .history: .models
        case .retry, .drop, .act, .end, .release, .pausePool, .resumePool: .operate
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

/// The fields of a request in JSON; each command knows some of them, and readers skip the others and those of a later version.
struct RequestFields: Codable {
    var loop: LoopID?
    var effect: EffectID?
    var pool: String?
    var prefix: String?
    var state: LoopSummary.State?
    var after: String?
    var limit: UInt32?
    var round: UInt32?
    var drop: Bool?
    var sequence: UInt64?
    var at: UInt64?
    var seen: ModelVersion?
    var from: UInt64?
    var to: UInt64?
    var models: Bool?
    var forPeople: Bool?
    var shards: UInt32?
    var token: String?
    var act: String?
    var why: String?
    var due: WallTime?
    /// JSON as text.
    var event: String?
    var condition: String?
    var sort: String?

    init(_ numbered: NumberedRequest) {
        let request = numbered.request
        loop = request.loop
        if !numbered.token.isEmpty { token = numbered.token }
        if numbered.isForPeople, request.asksForPayloads { forPeople = true }
        if request.isAboutAllLoops, numbered.shards > 1 { shards = numbered.shards }
        switch request {
        case .effects(_, let pool, let after, let limit):
            (self.pool, self.after, self.limit) = (pool, after?.text, Self.some(limit))
        case .letters(_, let prefix, let after, let limit):
            (self.prefix, self.after, self.limit) = (Self.some(prefix), after?.text, Self.some(limit))
        case .letter(let id), .effect(let id): (loop, effect) = (nil, id)
        case .retry(let id, let round), .drop(let id, let round): (loop, effect, self.round) = (nil, id, round)
        case .act(let id, let act, let why):
            (loop, effect, self.act, self.why) = (nil, id, act.name, why)
            switch act {
            case .cancel, .fail: break
            case .complete(let event): self.event = String(decoding: event, as: UTF8.self)
            case .fire(let due): self.due = due
            }
        case .end(_, let why): self.why = why
        case .pausePool(let pool, let why): (self.pool, self.why) = (pool, why)
        case .resumePool(let pool): self.pool = pool
        case .quarantine(let prefix, let after, let limit):
            (self.prefix, self.after, self.limit) = (Self.some(prefix), after?.text, Self.some(limit))
        case .release(_, let drop, let sequence): (self.drop, self.sequence) = (drop ? true : nil, sequence)
        case .loops(let prefix, let state, let after, let limit):
            (self.prefix, self.state) = (Self.some(prefix), state)
            (self.after, self.limit) = (after?.text, Self.some(limit))
        case .find(let query):
            (state, after, limit) = (query.state, query.after?.text, Self.some(query.limit))
            (prefix, condition, sort) = (Self.some(query.prefix), query.condition, query.sort)
        case .model(_, let at): self.at = at
        case .watch(_, let seen): self.seen = seen
        case .history(let history):
            (from, to, after) = (history.first, history.last, history.after?.text)
            limit = Self.some(history.limit)
            models = history.models ? true : nil
        case .send, .check, .quarantined, .status, .schema, .why, .rights, .unwatch: break
        }
    }

    /// A limit, unless it is the one that stands when none is said.
    private static func some(_ limit: UInt32) -> UInt32? { limit == 0 ? nil : limit }

    /// A prefix, unless all names begin with it.
    private static func some(_ prefix: String) -> String? { prefix.isEmpty ? nil : prefix }

    func request(_ command: ClientCommand) throws(WireError) -> NumberedRequest {
        for text in [pool, prefix, token] where text?.utf8.count ?? 0 > Int(UInt8.max) {
            throw WireError(.invalidField, "a name of more than \(UInt8.max) bytes")
        }
        let request = try plain(command)
        return NumberedRequest(
            number: 0, request: request, isForPeople: request.asksForPayloads && forPeople ?? false,
            shards: request.isAboutAllLoops ? max(1, shards ?? 1) : 1, token: token ?? "")
    }

    private func plain(_ command: ClientCommand) throws(WireError) -> ClientRequest {
        switch command {
        case .listEffects: .effects(loop: loop, pool: pool, after: try read(after), limit: limit ?? 0)
        case .listLetters: .letters(loop: loop, prefix: prefix ?? "", after: try read(after), limit: limit ?? 0)
        case .showLetter: .letter(try required(effect, "effect"))
        case .retryLetter: .retry(try required(effect, "effect"), round: round)
        case .dropLetter: .drop(try required(effect, "effect"), round: round)
        case .act: .act(try required(effect, "effect"), try readAct(), why: why ?? "")
        case .endLoop: .end(try required(loop, "loop"), why: why ?? "")
        case .pausePool: .pausePool(try required(pool, "pool"), why: why ?? "")
        case .resumePool: .resumePool(try required(pool, "pool"))
        case .listQuarantine: .quarantine(prefix: prefix ?? "", after: try read(after), limit: limit ?? 0)
        case .showQuarantine: .quarantined(try required(loop, "loop"))
        case .release: .release(try required(loop, "loop"), drop: drop ?? false, sequence: sequence)
        case .askStatus: .status
        case .showEffect: .effect(try required(effect, "effect"))
        case .listLoops: .loops(prefix: prefix ?? "", state: state, after: try read(after), limit: limit ?? 0)
        case .findLoops:
            .find(
                FactListing(
                    prefix: prefix ?? "", condition: condition, sort: sort, state: state, after: try read(after),
                    limit: limit ?? 0))
        case .readModel: .model(try required(loop, "loop"), at: at)
        case .watchModel: .watch(try required(loop, "loop"), seen: seen)
        case .readHistory:
            .history(
                HistoryRequest(
                    try required(loop, "loop"), first: from, last: to, after: try read(after), limit: limit ?? 0,
                    models: models ?? false))
        case .readSchema: .schema
        case .why: .why(try required(loop, "loop"))
        case .askRights: .rights
        case .stopWatching: .unwatch(try required(loop, "loop"))
        default: throw WireError(.unknownCommand, "\(command) is not said by clients")
        }
    }

    private func readAct() throws(WireError) -> EffectAct {
        switch try required(act, "act") {
        case "cancel": return .cancel
        case "fail": return .fail
        case "complete": return .complete(event: Array(try required(event, "event").utf8))
        case "fire": return .fire(due: due)
        default: throw WireError(.invalidField, "act is none that this build knows")
        }
    }

    private func read<Place: TextCoded>(_ text: String?) throws(WireError) -> Place? {
        guard let text else { return nil }
        guard let place = Place(text: text) else { throw WireError(.invalidField, "after is no \(Place.self)") }
        return place
    }
}
