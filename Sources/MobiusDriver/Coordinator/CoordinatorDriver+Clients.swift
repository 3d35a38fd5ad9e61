package import MobiusEngine
import MobiusJournal
package import MobiusWire

// Requests from the client socket, and answers to external senders in this process.
extension CoordinatorDriver {
    /// Handles a client's request, which is answered exactly once.
    ///
    /// - Parameters:
    ///   - traceparent: The W3C trace context that the request came with, or empty.
    ///   - shards: The number of shards that the client knows.
    ///   - isMasked: Whether payloads in the answer are masked, if the program masks any.
    ///   - sender: The client's name in the allow-list; `nil` where no keys are. The history of an effect has the names of its operators.
    package func receive(
        _ request: ClientRequest, as id: RequestID, traceparent: String = "", shards: UInt32 = .max,
        isMasked: Bool = false, sender: String? = nil
    ) throws {
        guard let host = clientHost else { return }
        if let elsewhere = shardSlices?.elsewhere(request, knowing: shards) { return try answer(id, elsewhere) }
        if isMasked, request.asksForPayloads, let loop = request.loop, host.masksPayloads(of: loop) {
            masked[id] = loop
        }
        if let sender, request.access == .operate { operators[id] = sender }
        if let sender, case .send = request { senders[id] = (SenderMark.hash(ofSender: sender), isMasked) }
        if let loop = request.neededLoop, host.isAway(loop) {
            guard !host.wait(request, for: loop, id, traceparent: traceparent) else { return }
            return try answer(id, .overloaded)
        }
        try handle(request, as: id, traceparent: traceparent)
    }

    /// Handles a request whose loop is in memory, if it needs one.
    func handle(_ request: ClientRequest, as id: RequestID, traceparent: String) throws {
        guard let host = clientHost else { return }
        switch request {
        case .send(let loop, _, _, begins: false) where !host.welcomesEvents(for: loop):
            try answer(id, .notFound)
        // What a loop of another shard left for its end begins nothing. That this one is not there may not be on disk yet.
        case .send(let loop, _, _, begins: false) where request.isBetweenShards && !machine.runs(loop):
            try show(.notFound, to: id)
        case .send(let loop, let key, let event, _):
            try send(host.event(from: event, for: loop), to: loop, key: key, id, traceparent, host)
        case .check(let loop, let key, let event):
            try check(host.event(from: event, for: loop), for: loop, key: key, id, host)
        case .effect(let effect) where machine.isHeld(effect.loop): host.heldEffect(effect, id)
        case .effect(let effect): try show(effect, id)
        case .effects(let loop?, _, _, _) where !machine.knows(loop: loop),
            .letters(let loop?, _, _, _) where !machine.knows(loop: loop):
            try refuse(id, .unknown("loop", loop.name, in: machine.loopNames))
        case .effects(let loop?, let pool, let after, let limit) where machine.isHeld(loop):
            host.heldEffects(of: loop, pool: pool, after: after, limit: Self.page(limit), id)
        case .effects(let loop, let pool, let after, let limit):
            surveys.ask(.page(loop: loop, pool: pool, after: after, limit: Self.page(limit)), id)
        case .status: surveys.ask(.status, id)
        case .why(let loop): try why(loop, id)
        case .letters(let loop, let prefix, let after, let limit):
            host.letters(of: loop, prefix: prefix, after: after, limit: Self.page(limit), id)
        case .letter(let effect): host.letter(effect, id)
        case .retry(let effect, _) where machine.isUnderWay(effect): try tell(.retry(id, effect))
        case .retry(let effect, let round): host.retry(effect, round: round, by: operators[id], id)
        case .drop(let effect, _) where machine.isHeldBack(effect):
            // A loop that asks gets an event for it, too: without an answer.
            try tell(
                machine.errand(of: effect) == .question
                    ? .answered(effect, LoopReply(nil)) : .completedWithoutEvent(effect))
            try show(.done(repeated: false), to: id)
        case .drop(let effect, let round): host.drop(effect, round: round, by: operators[id], id)
        case .act(let effect, let act, let why): try self.act(effect, act, why, id, host)
        case .end(let loop, _) where !machine.knows(loop: loop):
            try refuse(id, .unknown("loop", loop.name, in: machine.loopNames))
        case .end(let loop, let why): try tell(.end(id, loop, by: operators[id], why: why))
        case .pausePool(let pool, let why):
            let name = operators[id] ?? ""
            host.pause(pool, PoolPause(by: name, why: why, since: machine.time(at: now)), by: name, id)
        case .resumePool(let pool): host.pause(pool, nil, by: operators[id] ?? "", id)
        case .quarantine(let prefix, let after, let limit):
            host.quarantine(prefix: prefix, after: after, limit: Self.page(limit), id)
        case .quarantined(let loop): host.quarantined(loop, id)
        case .loops(let prefix, let state, let after, let limit):
            try list(LoopListing(prefix: prefix, state: state, after: after, limit: Self.page(limit)), id, host)
        case .find(var query):
            query.limit = UInt32(Self.page(query.limit))
            host.find(query, id)
        case .model(let loop, nil) where machine.isHeld(loop): host.lastModel(ofHeld: loop, id)
        case .model(let loop, nil):
            host.model(of: loop, seen: nil, id, at: now)
            try tell(.use(loop))
        case .model(let loop, let sequence?):
            host.model(of: loop, after: sequence, id)
            try tell(.use(loop))
        case .watch(let loop, let seen) where hasEnded(loop, with: seen):
            let reason = "The loop \(loop) has ended: its last model is the one of event \(seen?.sequence ?? 0)."
            // The end may not be on disk yet.
            try show(.refused(ClientRefusal(.ended, reason)), to: id)
        case .watch(let loop, let seen):
            host.model(of: loop, seen: seen, id, at: now)
            try tell(.use(loop))
        case .history(let query): host.history(query, id)
        case .schema: host.schema(id)
        case .unwatch(let loop): host.unwatch(loop, id)
        case .rights: try refuse(id, ClientRefusal(.unsupported, "The socket for clients answers this."))
        case .release(let loop, let drop, let sequence): host.release(loop, drop: drop, sequence: sequence, id)
        }
    }

    /// Whether a loop has ended with this model.
    private func hasEnded(_ loop: LoopID, with version: ModelVersion?) -> Bool {
        guard let version, let end = machine.end(of: loop) else { return false }
        return version == ModelVersion(journal: machine.configuration.journal, sequence: end.sequence)
    }

    /// Does what an operator wants; an event is read before, and written as the program does.
    private func act(
        _ effect: EffectID, _ act: EffectAct, _ why: String, _ id: RequestID, _ host: any ClientHost
    ) throws {
        guard machine.knows(loop: effect.loop) else {
            return try refuse(id, .unknown("loop", effect.loop.name, in: machine.loopNames))
        }
        var event: Payload?
        if case .complete(let bytes) = act, bytes.count > Int(machine.configuration.maximumPayload) {
            let reason = PayloadLimit.reason("the event", bytes: bytes.count, of: machine.configuration.maximumPayload)
            return try refuse(id, ClientRefusal(.tooLarge, reason))
        }
        if case .complete(let bytes) = act, machine.isUnderWay(effect), !machine.isHeld(effect.loop) {
            let payload = host.event(
                from: Payload(kind: PayloadKind(type: "", contentType: "application/json"), bytes: bytes),
                for: effect.loop)
            do throws(CoordinatorError) {
                event = try host.checked(payload, for: effect.loop, key: "\(effect)")
            } catch {
                return try answer(id, error.answer)
            }
        }
        try tell(.act(id, effect, act, event: event, by: operators[id], why: why))
    }

    /// Says what a loop waits for.
    private func why(_ loop: LoopID, _ id: RequestID) throws {
        guard machine.knows(loop: loop) else {
            return try refuse(id, .unknown("loop", loop.name, in: machine.loopNames))
        }
        if machine.isHeld(loop) {
            let sentence =
                "An event in quarantine holds it and its effects: `mobius quarantine show \(loop)` says why and what to do."
            return try show(.waits(LoopWaits(loop: loop, sentence: sentence)), to: id)
        }
        guard !machine.hasEnded(loop) else {
            return try show(.waits(LoopWaits(loop: loop, sentence: "It has ended, and waits for nothing.")), to: id)
        }
        surveys.ask(.waits(of: loop), id)
    }

    private func list(_ query: LoopListing, _ id: RequestID, _ host: any ClientHost) throws {
        // Only idle loops are not in memory.
        let isInMemory = machine.idleLoops.loops == 0 || query.state.map { $0 != .idle } ?? false
        if isInMemory { try listed(id, query, nil) } else { host.stored(query, id) }
    }

    /// Answers with a page of loops, of which the journal has stored these.
    func listed(_ id: RequestID, _ query: LoopListing, _ stored: [StoredLoop]?) throws {
        let page = machine.page(
            prefix: query.prefix, state: query.state, after: query.after, limit: query.limit,
            stored: (stored ?? [], (stored?.count ?? 0) < query.limit)
        ) { [clientHost] in clientHost?.heldStatus(of: $0) }
        try show(.loops(page.loops, next: page.next), to: id)
    }

    /// Answers with loops that were found by their facts.
    func found(_ id: RequestID, _ page: FoundPage) throws {
        let summaries = machine.summaries(of: page.page.found.map(\.loop), stored: page.stored) {
            [clientHost] in clientHost?.heldStatus(of: $0)
        }
        var (found, places): ([LoopSummary], [FactPlace]) = ([], [])
        for entry in page.page.found {
            guard var summary = summaries[entry.loop], page.query.state.map({ $0 == summary.state }) ?? true else {
                continue
            }
            summary.facts = entry.facts.compactMapValues { FactValue(key: $0) }
            found.append(summary)
            places.append(FactPlace(key: entry.key, loop: entry.loop))
        }
        try show(
            .found(
                FoundLoops(
                    loops: found, places: places, next: page.page.next, isComplete: page.isComplete)), to: id)
    }

    /// The client of a request that watches a loop is gone; ``answerClients()`` then answers the request.
    package func unwatch(_ loop: LoopID, _ request: RequestID) { clientHost?.unwatch(loop, request) }

    /// Surveys the next slice of effects for clients, and answers the requests whose survey is complete.
    ///
    /// Watchers that have waited long enough are answered, too.
    package func survey(clock: () -> Moment) throws {
        if let clientHost, let deadline = clientHost.nextReadDeadline, deadline <= now {
            clientHost.expireWatches(at: now)
            try answerClients()
        }
        guard surveys.nextSlice != nil, let clientHost,
            let (survey, askers) = surveys.nextResult(machine, clock: clock)
        else { return }
        let answer: ClientAnswer
        switch survey.query {
        case .status:
            var status = clientHost.status
            machine.fill(&status, from: survey, at: now)
            answer = .status(status)
        case .page(_, let pool?, nil, _) where isUnknown(pool, clientHost) && survey.isEmpty:
            let known = machine.knownPools + clientHost.poolNames
            answer = .refused(.unknown("pool", pool, in: known))
        case .page:
            let page = machine.page(of: survey, at: now)
            answer = .effects(page.effects, more: page.more)
        case .waits(let loop):
            let page = machine.page(of: survey, at: now)
            answer = .waits(LoopWaits(loop, effects: page.effects, more: page.more))
        }
        for asker in askers { try show(answer, to: asker) }
    }

    /// Answers with state of the machine once that state is on disk, because a crash could undo it before.
    func show(_ answer: ClientAnswer, to id: RequestID) throws {
        heldAnswers[id] = answer
        try tell(.look(id))
    }

    private func send(
        _ event: Payload, to loop: LoopID, key: String, _ id: RequestID, _ traceparent: String, _ host: any ClientHost
    ) throws {
        if host.hasDropped(key: key, of: loop) { return try answer(id, .dropped) }
        // Checked before the loop starts, because the start is journaled.
        guard machine.takesEvents || !host.isNew(loop) else { return try answer(id, .overloaded) }
        let opening: CoordinatorInput?
        do throws(CoordinatorError) {
            opening = try host.opening(loop, for: event, key: key)
        } catch {
            return try answer(id, error.answer)
        }
        if let opening { try tell(opening) }
        if !traceparent.isEmpty { traceparents[id] = traceparent }
        try tell(.outside(id, loop, key: key, event: event))
    }

    /// Holds the loop of an event that cannot be applied, and refuses the event's external sender.
    func hold(_ application: EventApplication) throws {
        try hold(application.loop)
        guard case .outside(let request) = application.origin else { return }
        try refuse(request, .held(application.loop))
    }

    /// Passes the result of a failure or timer to the machine.
    func answer(_ input: CoordinatorInput) throws {
        guard case .hold(let loop) = input else { return try tell(input) }
        try hold(loop)
    }

    private func hold(_ loop: LoopID) throws {
        if let state = machine.snapshotState(of: loop) {
            host.recordHeldState(loop, sequence: state.sequence, pending: state.pending.count)
        }
        try tell(.hold(loop))
    }

    private static func page(_ limit: UInt32) -> Int {
        limit == 0 ? Int(ClientRequest.maximumPage) : Int(min(limit, ClientRequest.maximumPage))
    }

    /// The result of a request is on disk.
    func confirm(_ id: RequestID, repeated: Bool) throws {
        if let model = heldModels.removeValue(forKey: id) {
            try answer(model.requests, .model(model.summary, model: model.model), of: model.summary.loop)
            clientHost?.sent(model)
        } else {
            try answer(id, heldAnswers.removeValue(forKey: id) ?? .done(repeated: repeated))
        }
    }

    func refuse(_ id: RequestID, _ refusal: ClientRefusal) throws { try answer(id, .refused(refusal)) }

    /// Answers a client, or a sender in this process.
    func answer(_ id: RequestID, _ answer: ClientAnswer) throws {
        if !traceparents.isEmpty { traceparents[id] = nil }
        if !senders.isEmpty { senders[id] = nil }
        if !operators.isEmpty { operators[id] = nil }
        if !masked.isEmpty, let loop = masked.removeValue(forKey: id), answer.hasPayloads, let clientHost {
            return clientHost.mask(answer, of: loop, for: [id])
        }
        try requirePermit()
        if id.isOfClient { try transport.answer(id, answer) } else { try host.answer(id, answer) }
    }

    /// The same answer to several requests, masked once for those that get it masked.
    private func answer(_ ids: [RequestID], _ answer: ClientAnswer, of loop: LoopID) throws {
        let isMasked = masked.isEmpty ? [] : ids.filter { masked.removeValue(forKey: $0) != nil }
        if !isMasked.isEmpty { clientHost?.mask(answer, of: loop, for: isMasked) }
        let others = isMasked.isEmpty ? ids : Array(Set(ids).subtracting(isMasked))
        for id in others { try self.answer(id, answer) }
    }
}

extension ClientRefusal {
    /// The refusal of an event that holds its loop.
    static func held(_ loop: LoopID) -> ClientRefusal {
        ClientRefusal(.held, "The loop \(loop) is held: `mobius quarantine show \(loop)` shows why.")
    }
}

extension ClientAnswer {
    /// Whether it contains events, effects or models of the program.
    fileprivate var hasPayloads: Bool {
        switch self {
        case .model, .history, .effect, .letter, .quarantined: true
        default: false
        }
    }
}
