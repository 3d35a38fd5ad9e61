package import MobiusEngine
package import MobiusWire

// What clients ask over their own socket, and who else waits outside of the effects.
extension CoordinatorDriver {
    /// Takes in what a client asks, which is answered once.
    ///
    /// - Parameter traceparent: The W3C trace context that the request came with, or empty.
    package func take(_ request: ClientRequest, as id: RequestID, traceparent: String = "") throws {
        guard let host = clientHost else { return }
        switch request {
        case .send(let loop, _, _, begins: false) where !host.welcomesEvents(for: loop):
            try answer(id, .notFound)
        case .send(let loop, let key, let event, _):
            try send(host.event(from: event), to: loop, key: key, id, traceparent, host)
        case .effects(let loop, let pool, let after, let limit):
            surveys.ask(.page(loop: loop, pool: pool, after: after, limit: Self.page(limit)), id)
        case .status: surveys.ask(.status, id)
        case .letters(let loop, let after, let limit): host.letters(of: loop, after: after, limit: Self.page(limit), id)
        case .letter(let effect): host.letter(effect, id)
        case .retry(let effect, _) where machine.isUnderWay(effect): try tell(.retry(id, effect))
        case .retry(let effect, let round): host.retry(effect, round: round, id)
        case .drop(let effect, let round): host.drop(effect, round: round, id)
        case .quarantine(let after, let limit):
            host.quarantine(after: after, limit: Self.page(limit), id)
        case .quarantined(let loop): host.quarantined(loop, id)
        case .release(let loop, let drop, let sequence): host.release(loop, drop: drop, sequence: sequence, id)
        }
    }

    /// Whether events from outside are taken in now.
    package var takesEvents: Bool { machine.takesEvents }

    /// Looks at some more effects for clients, and answers those whose look is over.
    package func survey(clock: () -> Moment) throws {
        guard surveys.nextSlice != nil, let clientHost,
            let (survey, askers) = surveys.look(machine, clock: clock)
        else { return }
        let answer: ClientAnswer
        switch survey.wish {
        case .status:
            var status = clientHost.status
            machine.fill(&status, from: survey, at: now)
            answer = .status(status)
        case .page:
            let page = machine.page(of: survey, at: now)
            answer = .effects(page.effects, more: page.more)
        }
        for asker in askers { try show(answer, to: asker) }
    }

    /// Answers with what was seen in the machine, once all of that is on disk: or a crash could take it back.
    private func show(_ answer: ClientAnswer, to id: RequestID) throws {
        shown[id] = answer
        try tell(.look(id))
    }

    private func send(
        _ event: Payload, to loop: LoopID, key: String, _ id: RequestID, _ traceparent: String, _ host: any ClientHost
    ) throws {
        // Before its loop begins, which is journaled.
        guard machine.takesEvents || !host.isNew(loop) else { return try answer(id, .busy(retryAfter: 100)) }
        let opening: CoordinatorInput?
        do throws(CoordinatorError) {
            opening = try host.opening(loop, for: event, key: key)
        } catch {
            let code: ClientRefusal.Code = error.code == .invalidEvent ? .invalidEvent : .unsupported
            return try answer(id, .refused(ClientRefusal(code, error.message)))
        }
        if let opening { try tell(opening) }
        if !traceparent.isEmpty { traceparents[id] = traceparent }
        try tell(.outside(id, loop, key: key, event: event))
    }

    /// Holds the loop of an event that cannot be applied, and tells the sender.
    func hold(_ application: Application) throws {
        try hold(application.loop)
        guard case .outside(let request) = application.origin else { return }
        let reason = "The loop \(application.loop) is held: `mobius quarantine show \(application.loop)` says why."
        try refuse(request, ClientRefusal(.held, reason))
    }

    /// Tells the machine what came of news that make an event.
    func answer(_ input: CoordinatorInput) throws {
        guard case .hold(let loop) = input else { return try tell(input) }
        try hold(loop)
    }

    private func hold(_ loop: LoopID) throws {
        if let state = machine.snapshotState(of: loop) {
            host.stands(loop, sequence: state.sequence, pending: state.pending.count)
        }
        try tell(.hold(loop))
    }

    private static func page(_ limit: UInt32) -> Int {
        limit == 0 ? Int(ClientRequest.maximumPage) : Int(min(limit, ClientRequest.maximumPage))
    }

    /// Tells whoever waits that what was asked for is on disk: a client, or a sender in this process.
    func confirm(_ id: RequestID, repeated: Bool) throws {
        if id.isOfClient {
            try answer(id, shown.removeValue(forKey: id) ?? .done(repeated: repeated))
        } else {
            host.answer(id, .success(()))
        }
    }

    /// Tells whoever waits that what was asked for was not done.
    func refuse(_ id: RequestID, _ refusal: ClientRefusal) throws {
        if id.isOfClient {
            try answer(id, .refused(refusal))
        } else {
            let code: CoordinatorError.Code = refusal.code == .held ? .held : .invalidEvent
            host.answer(id, .failure(CoordinatorError(code, refusal.reason)))
        }
    }

    /// Tells whoever waits to ask again, `retryAfter` milliseconds later.
    func turnAway(
        _ id: RequestID, _ code: CoordinatorError.Code, _ sentence: String, retryAfter: UInt32
    ) throws {
        if id.isOfClient {
            try answer(id, .busy(retryAfter: retryAfter))
        } else {
            host.answer(id, .failure(CoordinatorError(code, sentence)))
        }
    }

    /// Answers a client.
    func answer(_ id: RequestID, _ answer: ClientAnswer) throws {
        if !traceparents.isEmpty { traceparents[id] = nil }
        try transport.answer(id, answer)
    }
}
