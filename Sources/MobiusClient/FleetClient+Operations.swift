public import MobiusWire

/// A page of a longer list, in the order of names.
public struct FleetPage<Element: Hashable & Sendable>: Hashable, Sendable {
    /// The elements.
    public var elements: [Element]
    /// Whether more elements follow: request those after the last one.
    public var more: Bool

    /// Makes a page.
    public init(_ elements: [Element], more: Bool) {
        self.elements = elements
        self.more = more
    }
}

// MARK: - Effects

extension FleetClient {
    /// The status of the coordinator, its loops and its workers.
    public func status(timeout: Duration? = nil) async throws -> FleetStatus {
        let answer = try await ask(.status, timeout: timeout)
        guard case .status(let status) = answer.answer else { throw unexpected(answer.answer) }
        return status
    }

    /// A page of pending effects, those after `after` in the order of their ids; at most 1,000.
    public func effects(
        loop: LoopID? = nil, pool: String? = nil, after: EffectID? = nil, limit: Int = 1000, timeout: Duration? = nil
    ) async throws -> FleetPage<EffectSummary> {
        let request = ClientRequest.effects(loop: loop, pool: pool, after: after, limit: Self.page(limit))
        let answer = try await ask(request, timeout: timeout)
        guard case .effects(let effects, let more) = answer.answer else { throw unexpected(answer.answer) }
        return FleetPage(effects, more: more)
    }
}

// MARK: - Dead letters

extension FleetClient {
    /// A page of dead letters, those after `after` in the order of their ids; at most 1,000.
    ///
    /// - Parameters:
    ///   - loop: Those of this loop only.
    ///   - prefix: Those of loops whose names begin so, such as `order/` for one kind of loops. A coordinator of an earlier version
    ///     lists all.
    ///   - after: Those after this one.
    ///   - limit: The most that are returned.
    ///   - timeout: The time to wait for the answer; `nil` for the client's own.
    public func deadLetters(
        loop: LoopID? = nil, prefix: String = "", after: EffectID? = nil, limit: Int = 1000, timeout: Duration? = nil
    ) async throws -> FleetPage<DeadLetterSummary> {
        let request = ClientRequest.letters(loop: loop, prefix: prefix, after: after, limit: Self.page(limit))
        let answer = try await ask(request, timeout: timeout)
        guard case .letters(let letters, let more) = answer.answer else { throw unexpected(answer.answer) }
        return FleetPage(letters, more: more)
    }

    /// A dead letter, with its effect's payload.
    ///
    /// - Throws: ``FleetClientError`` with `notFound` when the effect is no dead letter.
    public func deadLetter(
        _ id: EffectID, timeout: Duration? = nil
    ) async throws -> (letter: DeadLetterSummary, effect: Payload) {
        let answer = try await ask(.letter(id), timeout: timeout)
        guard case .letter(let letter, let effect) = answer.answer else {
            throw unexpected(answer.answer, "dead letter \(id)")
        }
        return (letter, effect)
    }

    /// Makes a dead letter a pending effect again, with all its attempts; returns when that is on disk.
    ///
    /// - Parameters:
    ///   - id: The effect.
    ///   - round: The round of the dead letter as it was shown. With it, a repeated request never retries an effect
    ///     that the first request retried and that failed again; without it, any dead letter of the effect is retried.
    ///   - timeout: The time to wait for the answer; `nil` for the client's own.
    /// - Returns: `.repeated` when nothing is left to do: the effect is pending, or was retried before, whatever its
    ///   outcome was. The coordinator knows the last 100,000 retries, over all its runs.
    /// - Throws: ``FleetClientError`` with `notFound` when there is neither a dead letter nor a pending effect with
    ///   this id, and none is known to have been retried.
    @discardableResult
    public func retryDeadLetter(
        _ id: EffectID, round: UInt32? = nil, timeout: Duration? = nil
    ) async throws -> Outcome {
        try outcome(await ask(.retry(id, round: round), timeout: timeout), "dead letter \(id)", wasThere: round != nil)
    }

    /// Deletes a dead letter for good; returns when that is on disk.
    ///
    /// Likewise a pending event for a loop of another shard that the coordinator there refuses, because its build cannot read it.
    ///
    /// - Parameters:
    ///   - id: The effect.
    ///   - round: The round of the dead letter as it was shown: a later one of the same effect stays.
    ///   - timeout: The time to wait for the answer; `nil` for the client's own.
    /// - Returns: `.repeated` when it had been deleted, or was in a later round, before.
    /// - Throws: ``FleetClientError`` with `notFound` when there is no dead letter of the name.
    @discardableResult
    public func dropDeadLetter(
        _ id: EffectID, round: UInt32? = nil, timeout: Duration? = nil
    ) async throws -> Outcome {
        try outcome(await ask(.drop(id, round: round), timeout: timeout), "dead letter \(id)", wasThere: round != nil)
    }
}

// MARK: - One effect

extension FleetClient {
    /// A pending effect, with its payload.
    ///
    /// - Throws: ``FleetClientError`` with `notFound` when no effect with this id is pending; with `refused` when its loop
    ///   does not exist.
    public func effect(
        _ id: EffectID, timeout: Duration? = nil
    ) async throws -> (effect: EffectSummary, payload: Payload) {
        let answer = try await ask(.effect(id), timeout: timeout)
        guard case .effect(let effect, let payload) = answer.answer else {
            throw unexpected(answer.answer, "pending effect \(id)")
        }
        return (effect, payload)
    }
}

// MARK: - Acts on effects

extension FleetClient {
    /// Ends a pending effect without an event, wherever it is: its worker is told, and its later reports are not applied.
    ///
    /// Who asked, and why, is in the loop's history, in the transaction of what came of it; this returns when that is on disk.
    ///
    /// - Parameters:
    ///   - id: The effect.
    ///   - why: The reason, for people; a longer one than 500 bytes is cut.
    ///   - timeout: The time to wait for the answer; `nil` for the client's own.
    /// - Returns: `.repeated` when a request of this call was lost, and the effect is not pending any more.
    /// - Throws: ``FleetClientError`` with `notFound` when no effect with this id is pending; with `refused` when its loop is held, or
    ///   does not exist.
    @discardableResult
    public func cancelEffect(_ id: EffectID, why: String, timeout: Duration? = nil) async throws -> Outcome {
        try await act(.cancel, on: id, why, timeout)
    }

    /// Fails a pending effect for good, as its worker might: its route makes an event of that, with the reason, and it becomes a dead
    /// letter where its policy keeps those.
    ///
    /// Otherwise it is as ``cancelEffect(_:why:timeout:)``.
    @discardableResult
    public func failEffect(_ id: EffectID, why: String, timeout: Duration? = nil) async throws -> Outcome {
        try await act(.fail, on: id, why, timeout)
    }

    /// Ends a pending effect with an event, as if its handler had sent it last.
    ///
    /// Otherwise it is as ``cancelEffect(_:why:timeout:)``.
    ///
    /// - Parameters:
    ///   - id: The effect.
    ///   - event: An event of its loop's program, in JSON; the request has at most 64 KiB.
    ///   - why: The reason, for people.
    ///   - timeout: The time to wait for the answer; `nil` for the client's own.
    /// - Throws: also ``FleetClientError`` with `refused` when the program cannot read the event.
    @discardableResult
    public func completeEffect(
        _ id: EffectID, with event: [UInt8], why: String, timeout: Duration? = nil
    ) async throws -> Outcome {
        try await act(.complete(event: event), on: id, why, timeout)
    }

    /// Fires a pending timer now; a repeating one goes on from there.
    ///
    /// Otherwise it is as ``cancelEffect(_:why:timeout:)``.
    ///
    /// - Returns: `.repeated` also when a repeating timer has fired by itself meanwhile: then it does not fire once more.
    /// - Throws: also ``FleetClientError`` with `refused` when the effect is no timer.
    @discardableResult
    public func fireTimer(_ id: EffectID, why: String, timeout: Duration? = nil) async throws -> Outcome {
        // Only if it is due when it was shown: so a repetition does not fire a repeating timer twice.
        let due = try await effect(id, timeout: timeout).effect.due
        return try await act(.fire(due: due), on: id, why, timeout)
    }

    private func act(
        _ act: EffectAct, on id: EffectID, _ why: String, _ timeout: Duration?
    ) async throws -> Outcome {
        try outcome(await ask(.act(id, act, why: why), timeout: timeout), "pending effect \(id)", wasThere: true)
    }
}

// MARK: - Ends of loops

extension FleetClient {
    /// Ends a loop for good, as an effect with the route `.endsLoop()` does; returns when that is on disk.
    ///
    /// Its pending effects end without events, and their workers are told; events that it has sent to other loops are delivered.
    /// Later events for it are refused for as long as the coordinator keeps ended loops. Who asked, and why, is in its history.
    ///
    /// - Parameters:
    ///   - loop: The loop.
    ///   - why: The reason, for people; a longer one than 500 bytes is cut.
    ///   - timeout: The time to wait for the answer; `nil` for the client's own.
    /// - Returns: `.repeated` when a request of this call was lost, and the loop has ended.
    /// - Throws: ``FleetClientError`` with `refused` when the loop is held, has ended or does not exist.
    @discardableResult
    public func end(_ loop: LoopID, why: String, timeout: Duration? = nil) async throws -> Outcome {
        let answer = try await ask(.end(loop, why: why), timeout: timeout)
        if case .refused(let refusal) = answer.answer, refusal.code == .ended, answer.asked > 1 { return .repeated }
        return try outcome(answer, "loop \(loop)")
    }
}

// MARK: - Pools

extension FleetClient {
    /// Pauses a pool: it gets no new attempts until it is resumed, also over restarts and take-overs; returns when that is on disk.
    ///
    /// What runs goes on, and timers, time-outs and cancellations do, too. `PoolStatus.pause` says who asked, and why.
    ///
    /// - Parameters:
    ///   - pool: The pool, also one that nothing names yet.
    ///   - why: The reason, for people; a longer one than 500 bytes is cut.
    ///   - timeout: The time to wait for the answer; `nil` for the client's own.
    /// - Returns: `.repeated` when it was paused before, and nothing has changed; also when an answer to this call was lost.
    @discardableResult
    public func pausePool(_ pool: String, why: String, timeout: Duration? = nil) async throws -> Outcome {
        try outcome(await ask(.pausePool(pool, why: why), timeout: timeout))
    }

    /// Lets a paused pool go on; returns when that is on disk.
    ///
    /// - Returns: `.repeated` when it was not paused; also when an answer to this call was lost.
    @discardableResult
    public func resumePool(_ pool: String, timeout: Duration? = nil) async throws -> Outcome {
        try outcome(await ask(.resumePool(pool), timeout: timeout))
    }
}

// MARK: - What a loop waits for

extension FleetClient {
    /// Returns the reasons why a loop waits, in sentences for people.
    ///
    /// - Throws: ``FleetClientError`` with `refused` when the loop does not exist.
    public func waits(of loop: LoopID = .main, timeout: Duration? = nil) async throws -> LoopWaits {
        let answer = try await ask(.why(loop), timeout: timeout)
        guard case .waits(let waits) = answer.answer else { throw unexpected(answer.answer) }
        return waits
    }
}

// MARK: - Quarantine

extension FleetClient {
    /// A page of loops that are held by an event in quarantine, those after `after` in the order of their names; at most 1,000.
    ///
    /// - Parameters:
    ///   - prefix: Those whose names begin so, such as `order/` for one kind of loops. A coordinator of an earlier version lists all.
    ///   - after: Those after this one.
    ///   - limit: The most that are returned.
    ///   - timeout: The time to wait for the answer; `nil` for the client's own.
    public func quarantine(
        prefix: String = "", after: LoopID? = nil, limit: Int = 1000, timeout: Duration? = nil
    ) async throws -> FleetPage<QuarantineSummary> {
        let request = ClientRequest.quarantine(prefix: prefix, after: after, limit: Self.page(limit))
        let answer = try await ask(request, timeout: timeout)
        guard case .quarantine(let held, let more) = answer.answer else { throw unexpected(answer.answer) }
        return FleetPage(held, more: more)
    }

    /// A held loop, and the event that holds it.
    ///
    /// - Throws: ``FleetClientError`` with `notFound` when the loop is not held.
    public func quarantined(
        _ loop: LoopID, timeout: Duration? = nil
    ) async throws -> (held: QuarantineSummary, event: Payload) {
        let answer = try await ask(.quarantined(loop), timeout: timeout)
        guard case .quarantined(let held, let event) = answer.answer else {
            throw unexpected(answer.answer, "held loop \(loop)")
        }
        return (held, event)
    }

    /// Releases a held loop; returns when that is on disk.
    ///
    /// - Parameters:
    ///   - loop: The loop.
    ///   - drop: Whether the event is recorded as applied, without effect, instead of being applied again.
    ///   - sequence: The number of the event as it was shown: another event that holds the loop by now is not released.
    ///   - timeout: The time to wait for the answer; `nil` for the client's own.
    /// - Returns: `.repeated` when that event did not hold the loop any more.
    /// - Throws: ``FleetClientError`` with `notFound` when there is no such loop.
    @discardableResult
    public func release(
        _ loop: LoopID, drop: Bool = false, sequence: UInt64? = nil, timeout: Duration? = nil
    ) async throws -> Outcome {
        let request = ClientRequest.release(loop, drop: drop, sequence: sequence)
        return try outcome(await ask(request, timeout: timeout), "loop \(loop)", wasThere: sequence != nil)
    }
}

// MARK: - Answers

extension FleetClient {
    /// The outcome of a request that changes something.
    ///
    /// If an object that existed when it was shown is missing when the request is repeated, the first request was done.
    func outcome(
        _ answer: (answer: ClientAnswer, asked: Int), _ name: String = "such thing",
        wasThere: Bool = false
    ) throws(FleetClientError) -> Outcome {
        switch answer.answer {
        case .done(let confirmation): return confirmation.repeated ? .repeated : .done
        case .dropped: return .dropped
        case .notFound where wasThere && answer.asked > 1: return .repeated
        default: throw unexpected(answer.answer, name)
        }
    }

    func unexpected(_ answer: ClientAnswer, _ name: String = "such thing") -> FleetClientError {
        switch answer {
        case .refused(let refusal):
            switch refusal.code {
            case .forbidden: FleetClientError(.forbidden, refusal.reason)
            case .conflict: FleetClientError(.conflict, refusal.reason)
            default: FleetClientError(.refused, refusal.reason)
            }
        case .notFound: FleetClientError(.notFound, "The coordinator at \(endpoint) has no \(name).")
        default:
            FleetClientError(.protocol, "The coordinator at \(endpoint) answered \(answer.command) to something else.")
        }
    }

    static func page(_ limit: Int) -> UInt32 {
        UInt32(clamping: max(1, min(limit, Int(ClientRequest.maximumPage))))
    }
}
