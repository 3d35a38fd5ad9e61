import MobiusCodec

/// An answer of a coordinator to a ``ClientRequest``.
public enum ClientAnswer: Hashable, Sendable {
    /// The longest sentence in an answer, in bytes of UTF-8.
    public static let maximumReason = 1024

    /// DONE: it is on disk; in the answer to SEND with the event's number, and with what the program told its sender.
    case done(EventConfirmation)
    /// DONE, dropped: an operator dropped the event with this key, and it is never applied.
    case dropped
    /// BUSY: nothing was done, ask again after so many milliseconds.
    case busy(retryAfter: UInt32)
    /// REFUSED: nothing was done, and asking again will not help.
    case refused(ClientRefusal)
    /// NOT-FOUND: there is nothing of the name that was asked for.
    case notFound
    /// EFFECTS: a page of pending effects; `more` says that others follow behind the last.
    case effects([EffectSummary], more: Bool)
    /// LETTERS: a page of dead letters; `more` says that others follow behind the last.
    case letters([DeadLetterSummary], more: Bool)
    /// LETTER: a dead letter, and what the effect was to do.
    case letter(DeadLetterSummary, effect: Payload)
    /// QUARANTINE: a page of held loops; `more` says that others follow behind the last.
    case quarantine([QuarantineSummary], more: Bool)
    /// QUARANTINED: a held loop, and the event that holds it.
    case quarantined(QuarantineSummary, event: Payload)
    /// STATUS: how everybody is.
    case status(FleetStatus)
    /// EFFECT: a pending effect, and what it is to do.
    case effect(EffectSummary, payload: Payload)
    /// CHECKED: the event as the program writes it, with its type and version.
    case checked(Payload)
    /// LOOPS: a page of loops; others may follow behind `next`, none when it is `nil`.
    case loops([LoopSummary], next: LoopID?)
    /// FOUND: a page of loops by their facts.
    case found(FoundLoops)
    /// MODEL: a loop's model.
    case model(ModelSummary, model: Payload)
    /// WAITS: what a loop waits for.
    case waits(LoopWaits)
    /// RIGHTS: what the caller may do, and how large an event may be.
    case rights(CallerRights)
    /// UNCHANGED: the model is still the one that the client has seen; watch on.
    case unchanged
    /// HISTORY: a page of a loop's history.
    case history(HistoryPage)
    /// SCHEMA: the forms of the program's events, effects and models, as a JSON Schema in UTF-8.
    case schema([UInt8])
    /// MOVED: nothing was done here; the coordinator that runs the loops answers at this endpoint, or none does while it is `nil`.
    ///
    /// The endpoint must be possible; see ``Moved/isPossible(endpoint:)``.
    /// In a cluster of several shards the map says where the owner of each is, as far as is known.
    indirect case moved(endpoint: String?, map: ClusterMap? = nil)

    /// DONE without more: it is on disk.
    ///
    /// `repeated` says that it was so before: this request changed nothing.
    public static func done(repeated: Bool) -> ClientAnswer { .done(EventConfirmation(repeated: repeated)) }

    /// Its command.
    public var command: ClientCommand {
        switch self {
        case .done, .dropped: .done
        case .busy: .busy
        case .refused: .refused
        case .notFound: .notFound
        case .effects: .effects
        case .letters: .letters
        case .letter: .letter
        case .quarantine: .quarantine
        case .quarantined: .quarantined
        case .status: .status
        case .effect: .effect
        case .checked: .checked
        case .waits: .waits
        case .rights: .rights
        case .loops: .loops
        case .found: .found
        case .model: .model
        case .unchanged: .unchanged
        case .history: .history
        case .schema: .schema
        case .moved: .moved
        }
    }
}

extension ClientAnswer {
    /// Appends the body in JSON; of DONE nothing.
    func appendBody(to bytes: inout [UInt8]) {
        switch self {
        case .done, .dropped: break
        case .busy(let retryAfter): Body.append(Pause(retryAfter: retryAfter), to: &bytes)
        case .refused(let refusal): Body.append(refusal, to: &bytes)
        case .notFound, .unchanged: Body.append(Nothing(), to: &bytes)
        case .effects(let records, let more): Body.append(Page(records: records, more: more), to: &bytes)
        case .letters(let records, let more): Body.append(Page(records: records, more: more), to: &bytes)
        case .letter(let letter, let effect): Body.append(RecordWithPayload(letter, effect), to: &bytes)
        case .quarantine(let records, let more): Body.append(Page(records: records, more: more), to: &bytes)
        case .quarantined(let held, let event): Body.append(RecordWithPayload(held, event), to: &bytes)
        case .status(let status): Body.append(status, to: &bytes)
        case .effect(let effect, let payload): Body.append(RecordWithPayload(effect, payload), to: &bytes)
        case .checked(let event): Body.append(RecordWithPayload(Checked(), event), to: &bytes)
        case .loops(let records, let next): Body.append(LoopList(loops: records, next: next), to: &bytes)
        case .found(let page): Body.append(page, to: &bytes)
        case .model(let summary, let model): Body.append(RecordWithPayload(summary, written: model), to: &bytes)
        case .history(let page): Body.append(page, to: &bytes)
        case .waits(let waits): Body.append(waits, to: &bytes)
        case .rights(let rights): Body.append(rights, to: &bytes)
        case .schema(let json): Body.append(Schema(schema: JSONFragment(json)), to: &bytes)
        case .moved(let endpoint, let map):
            let route = Route(endpoint: endpoint, shards: map?.shards)
            precondition(
                route.impossibleEndpoint == nil,
                "A MOVED names an endpoint that peers can connect to, such as tcp://10.0.0.2:5711.")
            Body.append(route, to: &bytes)
        }
    }

    init(_ command: ClientCommand, from reader: inout WireReader) throws(WireError) {
        switch command {
        case .done: self = try EventConfirmation.answer(from: &reader)
        case .busy: self = .busy(retryAfter: try Body.read(Pause.self, from: &reader).retryAfter)
        case .refused: self = .refused(try Body.read(from: &reader))
        case .notFound:
            _ = try Body.read(Nothing.self, from: &reader)
            self = .notFound
        case .unchanged:
            _ = try Body.read(Nothing.self, from: &reader)
            self = .unchanged
        case .effects:
            let page = try Body.read(Page<EffectSummary>.self, from: &reader)
            self = .effects(page.records, more: page.more)
        case .letters:
            let page = try Body.read(Page<DeadLetterSummary>.self, from: &reader)
            self = .letters(page.records, more: page.more)
        case .letter:
            let shown = try Body.read(RecordWithPayload<DeadLetterSummary>.self, from: &reader)
            self = .letter(shown.record, effect: shown.payload)
        case .quarantine:
            let page = try Body.read(Page<QuarantineSummary>.self, from: &reader)
            self = .quarantine(page.records, more: page.more)
        case .quarantined:
            let shown = try Body.read(RecordWithPayload<QuarantineSummary>.self, from: &reader)
            self = .quarantined(shown.record, event: shown.payload)
        case .status: self = .status(try Body.read(from: &reader))
        case .effect:
            let shown = try Body.read(RecordWithPayload<EffectSummary>.self, from: &reader)
            self = .effect(shown.record, payload: shown.payload)
        case .checked: self = .checked(try Body.read(RecordWithPayload<Checked>.self, from: &reader).payload)
        case .loops:
            let page = try Body.read(LoopList.self, from: &reader)
            self = .loops(page.loops, next: page.next)
        case .found: self = .found(try Body.read(from: &reader))
        case .model:
            let shown = try Body.read(RecordWithPayload<ModelSummary>.self, from: &reader)
            self = .model(shown.record, model: shown.payload)
        case .history: self = .history(try Body.read(from: &reader))
        case .waits: self = .waits(try Body.read(from: &reader))
        case .rights: self = .rights(try Body.read(from: &reader))
        case .schema: self = .schema(try Body.read(Schema.self, from: &reader).schema?.bytes ?? [])
        case .moved:
            let route = try Body.read(Route.self, from: &reader)
            guard route.shards?.count ?? 0 <= ClusterMap.maximumShards else {
                throw WireError(.invalidField, "more than \(ClusterMap.maximumShards) shards")
            }
            guard route.impossibleEndpoint == nil else {
                throw WireError(.invalidField, "endpoint is none that peers can connect to")
            }
            self = .moved(endpoint: route.endpoint, map: ClusterMap(route.shards ?? []))
        default: throw WireError(.unknownCommand, "\(command) is not said by coordinators")
        }
    }
}

/// A page of loops, as LOOPS and `GET /loops` have it.
package struct LoopList: Codable {
    /// The loops, in the order of their names' bytes.
    package let loops: [LoopSummary]
    /// Further loops may follow behind this one.
    package let next: LoopID?

    package init(loops: [LoopSummary], next: LoopID?) {
        (self.loops, self.next) = (loops, next)
    }
}

// The bodies that nobody else uses.

private struct Nothing: Codable {}

private struct Pause: Codable {
    let retryAfter: UInt32
}

private struct Page<Record: Codable>: Codable {
    let records: [Record]
    let more: Bool
}

private struct Checked: PayloadRecord {
    static let payloadKey = "event"
    static let hasKind = false
}

private struct Schema: Codable {
    let schema: JSONFragment?
}

private struct Route: Codable {
    let endpoint: String?
    let shards: [ClusterMap.Shard]?

    var impossibleEndpoint: String? {
        ([endpoint] + (shards ?? []).map(\.clients)).compactMap(\.self).first { !Moved.isPossible(endpoint: $0) }
    }
}
