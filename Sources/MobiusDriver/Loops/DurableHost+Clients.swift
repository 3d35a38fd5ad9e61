import MobiusCodec
package import MobiusEngine
package import MobiusJournal
import MobiusProgram
import MobiusRuntime
package import MobiusWire

// Requests of clients: events, dead letters and held loops. The journal is read on the journal thread.
extension DurableHost: ClientHost {
    package var status: FleetStatus {
        var status = setting.status
        status.letters = UInt64(clamping: letters.total)
        status.loops = held.values.map(\.status)
        return status
    }

    package func isNew(_ id: LoopID) -> Bool { hosted(id) == nil && held[id] == nil && !isStopping && end(id) == nil }

    package func event(from payload: Payload, for loop: LoopID) -> Payload {
        let calls = setting.preparer.calls
        guard payload.kind.type.isEmpty, let own = calls.eventKind(of: loop) else {
            return Payload(kind: calls.newest(payload.kind, for: loop), bytes: payload.bytes)
        }
        let kind = PayloadKind(type: own.type, version: own.version, contentType: payload.kind.contentType)
        return Payload(kind: kind, bytes: payload.bytes)
    }

    package func checked(_ event: Payload, for loop: LoopID, key: String) throws(CoordinatorError) -> Payload {
        let source = SourceKey.outside(key)
        guard !crashes.isDropped(CrashLedger.Event(loop: loop, source: source)) else { return event }
        if let complaint = setting.preparer.calls.complaint(about: loop) {
            throw CoordinatorError(.noProgram, complaint.description)
        }
        do throws(CodingFailure) {
            return try setting.preparer.calls.rewritten(event, from: source, for: loop, trail)
        } catch {
            throw CoordinatorError(.invalidEvent, "The event cannot be read: \(error).", underlying: error)
        }
    }

    package func hasDropped(key: String, of loop: LoopID) -> Bool {
        // While the release is under way, the drop is not on disk yet.
        !crashes.isEmpty && !releasing.contains(loop)
            && crashes.isDropped(CrashLedger.Event(loop: loop, source: .outside(key)))
    }

    package var poolNames: [String] { setting.preparer.calls.poolNames }

    package func welcomesEvents(for loop: LoopID) -> Bool {
        setting.loopsBegin || hosted(loop) != nil || held[loop] != nil || end(loop) != nil
    }

    package func takeAnswers(_ give: (RequestID, ClientAnswer) throws -> Void) throws {
        guard !answers.isEmpty else { return }
        defer { answers.removeAll(keepingCapacity: true) }
        for (request, answer) in answers { try give(request, answer) }
    }

    package func takeLists(_ give: (RequestID, LoopListing, [StoredLoop]) throws -> Void) throws {
        guard !lists.isEmpty else { return }
        defer { lists.removeAll() }
        for (request, query, loops) in lists { try give(request, query, loops) }
    }

    package func takeFound(_ give: (RequestID, FoundPage) throws -> Void) throws {
        guard !foundPages.isEmpty else { return }
        defer { foundPages.removeAll() }
        for (request, page) in foundPages { try give(request, page) }
    }

    /// Answers a client, or a caller in this process.
    func give(_ answer: ClientAnswer, to request: RequestID) { answers.append((request, answer)) }

    package func lookUp(_ request: RequestID, _ loop: LoopID, key: String, event: Payload) {
        setting.journal.perform { [post = setting.post] store throws(JournalError) in
            do throws(JournalError) {
                let isApplied = try store.hasApplied(key: key, of: loop)
                post(.lookedUp(request, loop, key: key, event, isApplied: isApplied))
            } catch {
                post(.readFailed(request, error))
            }
        }
    }

    // MARK: - Dead letters

    package func retry(_ id: EffectID, round: UInt32?, by name: String?, _ request: RequestID) {
        find(id, .retry(round: round, by: name), request)
    }

    package func drop(_ id: EffectID, round: UInt32?, by name: String?, _ request: RequestID) {
        find(id, .drop(round: round, by: name), request)
    }

    private func find(_ id: EffectID, _ query: DeadLetterCommand, _ request: RequestID) {
        setting.journal.perform { [post = setting.post] store throws(JournalError) in
            do throws(JournalError) {
                let letter = try store.deadLetter(id)
                if letter == nil, case .retry = query, try store.wasRequeued(id) {
                    // Its retry has ended, otherwise the machine would have it: the repeated request changes nothing.
                    post(.answer(request, .done(repeated: true)))
                } else {
                    post(.found(request, query, letter))
                }
            } catch {
                post(.readFailed(request, error))
            }
        }
    }

    func found(
        _ letter: DeadLetter?, _ query: DeadLetterCommand, _ request: RequestID,
        _ tell: (CoordinatorInput) throws -> Void
    ) throws {
        guard let letter else {
            give(.notFound, to: request)
            return
        }
        switch query {
        case .show: give(.letter(summary(of: letter), effect: letter.effect), to: request)
        // It was dead-lettered again in a later round, so the requested retry or drop was done before.
        case .retry(let round?, _) where letter.round > round, .drop(let round?, _) where letter.round > round:
            give(.done(repeated: true), to: request)
        case .drop(_, let name): try tell(.drop(request, letter.id, by: name))
        case .retry(_, let name):
            guard !isAway(letter.id.loop) else {
                // It left memory meanwhile, and returns when the request is repeated.
                give(.busy(retryAfter: 100), to: request)
                return
            }
            guard let loop = hosted(letter.id.loop) else {
                // The loop is held, and the machine refuses the request with that reason.
                try tell(.requeue(request, letter, EffectPlan(destination: .local), by: name))
                return
            }
            guard !skips(.letter, of: letter.id) else {
                let reason =
                    "Planning the effect \(letter.id) trapped the process: retry it with a build that can do it."
                give(.refused(ClientRefusal(.unsupported, reason)), to: request)
                return
            }
            do {
                let plan = try loop.typed.plan(letter.effect, of: letter.id, at: .letter, trail)
                try tell(.requeue(request, letter, plan, by: name))
            } catch let error as ProgramError {
                give(.refused(ClientRefusal(.unsupported, error.description)), to: request)
            }
        }
    }

    /// Describes a dead letter; the pool is set only if `letter` contains the whole effect.
    func summary(of letter: DeadLetter, size: Int? = nil) -> DeadLetterSummary {
        var pool: String?
        if size ?? letter.effect.bytes.count == letter.effect.bytes.count, held[letter.id.loop] == nil,
            !skips(.letter, of: letter.id)
        {
            pool = setting.preparer.calls.pool(of: letter.effect, named: letter.id, trail)
        }
        return DeadLetterSummary(
            id: letter.id, round: letter.round, kind: letter.effect.kind,
            size: UInt32(clamping: size ?? letter.effect.bytes.count), pool: pool, failures: letter.failures,
            reason: letter.reason, deadLettered: letter.time)
    }

    // MARK: - Quarantine

    package func quarantine(prefix: String, after: LoopID?, limit: Int, _ request: RequestID) {
        let found = held.values.filter { held in
            held.loop.name.utf8.starts(with: prefix.utf8) && after.map { $0.name < held.loop.name } ?? true
        }.sorted { $0.loop.name < $1.loop.name }
        give(.quarantine(found.prefix(limit).map(\.summary), more: found.count > limit), to: request)
    }

    package func quarantined(_ loop: LoopID, _ request: RequestID) {
        guard let held = held[loop] else {
            give(.notFound, to: request)
            return
        }
        let event = held.event ?? Payload(kind: PayloadKind(type: ""), bytes: [])
        give(.quarantined(held.summary, event: event), to: request)
    }

    /// Recovers the held loop again, on the journal thread.
    ///
    /// Other loops continue meanwhile, but their commits wait.
    package func release(_ loop: LoopID, drop: Bool, sequence: UInt64?, _ request: RequestID) {
        guard let held = held[loop], sequence ?? held.sequence == held.sequence else {
            give(hosted(loop) == nil && held[loop] == nil ? .notFound : .done(repeated: true), to: request)
            return
        }
        if let refusal = held.refusalToRelease ?? (drop ? held.refusalToDrop : nil) {
            give(.refused(ClientRefusal(.unsupported, refusal)), to: request)
            return
        }
        // During another release, or before all its applied events were handed to the journal, it would lose events.
        guard !heldSinceAppend.contains(loop), releasing.insert(loop).inserted else {
            give(.busy(retryAfter: 100), to: request)
            return
        }
        let crashed = held.crashed
        // An operator who releases a loop whose models differ has it go on from its snapshot.
        let checksModel = if case .impure = held.cause { false } else { true }
        if let crashed {
            if drop { crashes.drop(crashed) } else { crashes.forget(crashed) }
        }
        setting.journal.perform {
            [preparer = setting.preparer, post = setting.post, breadcrumbs = setting.breadcrumbs, crashes]
            store throws(JournalError) in
            if let crashed {
                if drop {
                    try store.markDropped(crashed.source, of: loop)
                } else {
                    try store.forgetCrash(crashed.source, of: loop)
                }
            }
            let trail = breadcrumbs.map { $0.trail(.journal) }
            let outcome = Result {
                try preparer.release(loop, from: store, trail: trail, crashes: crashes, checksModel: checksModel)
            }
            post(.released(Release(request: request, loop: loop, outcome: HandedOver(outcome))))
        }
    }
}
