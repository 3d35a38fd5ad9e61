import MobiusEngine
import MobiusWire
import Synchronization

/// A host with a memory that outlives coordinators, as a journal does: applies events once per key, keeps dead letters,
/// holds loops.
final class TestFleet: Sendable {
    struct State {
        /// Applied events in order.
        var events: [Applied] = []
        var effects: [EffectSummary] = []
        var letters: [EffectID: (summary: DeadLetterSummary, effect: Payload)] = [:]
        var held: [LoopID: (summary: QuarantineSummary, event: Payload)] = [:]
        /// Loops whose letters cannot be retried or dropped.
        var ended: Set<LoopID> = []
        var paused: Set<String> = []
        var models: [LoopID: (summary: ModelSummary, model: Payload)] = [:]
        var history: [LoopID: [HistoryEntry]] = [:]
        /// The forms of its program's types.
        var schema = ##"{"title":"Test","$ref":"#/$defs/Event","$defs":{}}"##
        /// How it says it is.
        var status: FleetStatus?
        /// What to answer instead, before anything is done.
        var excuse: ClientAnswer?
        /// How many more answers are lost after the work was done.
        var lostAnswers = 0
        /// After how many events it hangs: it neither takes nor answers more, and does not answer the last ten.
        var capacity = Int.max
    }

    struct Applied: Hashable {
        let loop: LoopID
        let key: String
        let event: Payload
    }

    private let state = Mutex(State())

    func change<Result: Sendable>(_ body: @Sendable (inout State) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    var events: [Applied] { state.withLock { $0.events } }

    /// A coordinator's host.
    func host(_ id: RequestID, _ request: ClientRequest) -> ClientAnswer? {
        state.withLock { state in
            if let excuse = state.excuse { return excuse }
            if case .send(let loop, let key, _, _) = request, state.events.count >= state.capacity {
                guard state.events.contains(where: { $0.loop == loop && $0.key == key }) else { return nil }
            }
            let answer = state.handle(request)
            if state.capacity < .max, state.events.count > state.capacity - 10 { return nil }
            guard state.lostAnswers == 0 else {
                state.lostAnswers -= 1
                return nil
            }
            return answer
        }
    }
}

extension TestFleet.State {
    fileprivate mutating func handle(_ request: ClientRequest) -> ClientAnswer {
        switch request {
        case .send(let loop, let key, let event, let begins):
            guard begins || loop == .main || events.contains(where: { $0.loop == loop }) else { return .notFound }
            if held[loop] != nil { return .refused(ClientRefusal(.held, "The loop \(loop) is held.")) }
            guard !events.contains(where: { $0.loop == loop && $0.key == key }) else { return .done(repeated: true) }
            events.append(TestFleet.Applied(loop: loop, key: key, event: event))
            return .done(repeated: false)
        case .effects(let loop, let pool, let after, let limit):
            let fitting = effects.filter { effect in
                (loop ?? effect.id.loop) == effect.id.loop && (pool == nil || pool == effect.pool)
                    && (after.map { $0 < effect.id } ?? true)
            }
            let page = page(fitting.sorted { $0.id < $1.id }, limit)
            return .effects(page.0, more: page.1)
        case .effect(let id):
            let payload = Payload(kind: PayloadKind(type: "Greeter.Effect"), bytes: Array(#"{"greet":"ada"}"#.utf8))
            return effects.first { $0.id == id }.map { .effect($0, payload: payload) } ?? .notFound
        case .check(_, _, let event): return .checked(event)
        case .why(let loop):
            let waits = effects.filter { $0.id.loop == loop }.map {
                LoopWaits.Wait(effect: $0.id, sentence: "It runs.", ageMilliseconds: $0.age, until: TestFleet.time)
            }
            return .waits(LoopWaits(loop: loop, sentence: "It waits.", waits: waits))
        case .letters(let loop, let prefix, let after, let limit):
            let fitting = letters.values.map(\.summary).filter { letter in
                (loop ?? letter.id.loop) == letter.id.loop && letter.id.loop.name.hasPrefix(prefix)
                    && (after.map { $0 < letter.id } ?? true)
            }
            let page = page(fitting.sorted { $0.id < $1.id }, limit)
            return .letters(page.0, more: page.1)
        case .letter(let id): return letters[id].map { .letter($0.summary, effect: $0.effect) } ?? .notFound
        case .retry(let id, _) where ended.contains(id.loop), .drop(let id, _) where ended.contains(id.loop):
            return .refused(ClientRefusal(.ended, "The loop \(id.loop) has ended."))
        case .retry(let id, let round): return retry(id, round)
        case .drop(let id, let round):
            guard let letter = letters[id] else { return .notFound }
            guard round ?? letter.summary.round == letter.summary.round else { return .done(repeated: true) }
            letters[id] = nil
            return .done(repeated: false)
        case .act(let id, let act, _):
            guard let place = effects.firstIndex(where: { $0.id == id }) else { return .notFound }
            if case .fire = act, effects[place].phase != .timer {
                return .refused(ClientRefusal(.unsupported, "Only a timer can fire, and this is none."))
            }
            effects.remove(at: place)
            return .done(repeated: false)
        case .end(let loop, _):
            guard ended.insert(loop).inserted else {
                return .refused(ClientRefusal(.ended, "The loop \(loop) has ended."))
            }
            return .done(repeated: false)
        case .pausePool(let pool, _): return .done(repeated: !paused.insert(pool).inserted)
        case .resumePool(let pool): return .done(repeated: paused.remove(pool) == nil)
        case .quarantine(let prefix, let after, let limit):
            let fitting = held.values.map(\.summary).filter {
                $0.loop.name.hasPrefix(prefix) && $0.loop.name > after?.name ?? ""
            }
            let page = page(fitting.sorted { $0.loop.name < $1.loop.name }, limit)
            return .quarantine(page.0, more: page.1)
        case .quarantined(let loop): return held[loop].map { .quarantined($0.summary, event: $0.event) } ?? .notFound
        case .release(let loop, _, let sequence):
            guard let holder = held[loop], sequence ?? holder.summary.sequence == holder.summary.sequence
            else { return loop == .main ? .done(repeated: true) : .notFound }
            held[loop] = nil
            return .done(repeated: false)
        case .loops(let prefix, let wanted, let after, let limit):
            let fitting = models.keys.filter {
                $0.name.hasPrefix(prefix) && $0.name > after?.name ?? "" && (wanted ?? .idle) == .idle
            }
            let page = page(fitting.sorted { $0.name < $1.name }, limit)
            let loops = page.0.map {
                LoopSummary(loop: $0, sequence: models[$0]?.summary.version.sequence ?? 0, pending: 0, state: .idle)
            }
            return .loops(loops, next: page.1 ? page.0.last : nil)
        case .find: return .refused(ClientRefusal(.unsupported, "No program declares facts."))
        case .schema: return .schema(Array(schema.utf8))
        case .rights: return .rights(CallerRights(name: nil, rights: ["send"], maximumPayload: 1 << 22))
        case .unwatch: return .unchanged
        case .model(let loop, _): return models[loop].map { .model($0.summary, model: $0.model) } ?? .notFound
        case .watch(let loop, let seen):
            guard let model = models[loop] else { return .notFound }
            return model.summary.version == seen ? .unchanged : .model(model.summary, model: model.model)
        case .history(let wish):
            guard let entries = history[wish.loop] else { return .notFound }
            let fitting = entries.filter { entry in
                entry.place.sequence >= wish.first ?? 0 && entry.place.sequence <= wish.last ?? .max
                    && (wish.after.map { $0 < entry.place } ?? true)
            }
            let page = page(fitting, wish.limit)
            return .history(HistoryPage(page.0, first: entries.first?.place.sequence, more: page.1))
        case .status:
            return .status(
                status
                    ?? FleetStatus(
                        program: "test", build: "1", journal: JournalID(high: 1, low: 2), epoch: 1,
                        started: WallTime(milliseconds: 0), maximumPayload: 4 << 20, pending: UInt64(effects.count)))
        }
    }

    private mutating func retry(_ id: EffectID, _ round: UInt32?) -> ClientAnswer {
        if let letter = letters[id] {
            guard round ?? letter.summary.round == letter.summary.round else { return .done(repeated: true) }
            letters[id] = nil
            effects.append(
                EffectSummary(
                    id: id, kind: letter.summary.kind, size: letter.summary.size, pool: letter.summary.pool,
                    phase: .waiting))
            return .done(repeated: false)
        }
        return effects.contains { $0.id == id } ? .done(repeated: true) : .notFound
    }

    private func page<Record>(_ all: [Record], _ limit: UInt32) -> ([Record], Bool) {
        let limit = limit == 0 ? Int(ClientRequest.maximumPage) : Int(limit)
        return (Array(all.prefix(limit)), all.count > limit)
    }
}
