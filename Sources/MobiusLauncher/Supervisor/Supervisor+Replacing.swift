// MARK: - The rolling replacement of a pool: start a new worker, stop an old one, and so on
extension Supervisor {
    /// A replacement in progress.
    struct Replacement: Equatable, Sendable {
        let request: Int
        /// The previous workers that are not replaced yet.
        var old: [ProcessName]
        let total: Int
        var step: Step?
        var done = 0

        enum Step: Equatable, Sendable {
            /// Waits until the new worker is ready.
            case waiting(for: ProcessName, until: Duration)
            /// Waits until the old worker has ended.
            case draining(ProcessName)
        }
    }

    mutating func replace(_ pool: String, request: Int, at now: Duration) -> [Action] {
        if let refusal = refusal(toChange: pool) { return [.answer(request: request, refusal)] }
        guard let index = pools.firstIndex(where: { $0.name == pool }) else { return [] }
        let old = members(of: pool)
        guard !old.isEmpty else {
            let lost = givenUp(in: pool).count
            guard lost > 0 else { return [.answer(request: request, .done("\(pool) has no workers."))] }
            let sentence =
                "All workers of \(pool) were given up; correct the reason and start them with "
                + "'mobius scale \(pool)=\(lost)'."
            return [.answer(request: request, .refused(code: 1, sentence))]
        }
        pools[index].replacement = Replacement(request: request, old: old, total: old.count)
        return replaceNext(index, at: now)
    }

    private mutating func replaceNext(_ index: Int, at now: Duration) -> [Action] {
        let pool = pools[index].name
        let members = Set(members(of: pool))
        pools[index].replacement?.old.removeAll { !members.contains($0) }
        guard let replacement = pools[index].replacement else { return [] }
        guard !replacement.old.isEmpty else {
            pools[index].replacement = nil
            let sentence = "\(pool): \(replacement.done) of \(replacement.total) replaced"
            return [.answer(request: replacement.request, .done(sentence))]
        }
        let new = add(to: pool)
        let deadline = now + pools[index].rules.readyLimit
        pools[index].replacement?.step = .waiting(for: new, until: deadline)
        return [.start(new), .tell(request: replacement.request, "\(new) starts"), .wake(at: deadline)]
    }

    /// Whether a worker is the new one of a replacement that waits for it.
    func isNewcomer(_ name: ProcessName) -> Bool { replacementWaiting(for: name) != nil }

    private func replacementWaiting(for name: ProcessName) -> Int? {
        pools.firstIndex { pool in
            if case .waiting(name, _)? = pool.replacement?.step { true } else { false }
        }
    }

    /// Schedules the time at which a worker that has begun is ready, if readiness depends on time.
    func beginReadiness(_ name: ProcessName, at now: Duration) -> [Action] {
        guard name == coordinator ? isWaitedFor : isNewcomer(name), rules(of: name).health == nil,
            case .after(let time) = rules(of: name).readiness
        else { return [] }
        return [.wake(at: now + time)]
    }

    /// Checks whether a running worker has run long enough to be ready.
    mutating func checkReadiness(_ name: ProcessName, at now: Duration) -> [Action] {
        guard let index = replacementWaiting(for: name), pools[index].rules.health == nil,
            case .after(let time) = pools[index].rules.readiness, case .running(let since) = records[name]?.state,
            now - since >= time
        else { return [] }
        return ready(name, at: now)
    }

    /// Handles a worker that became ready: stops an old one.
    mutating func ready(_ name: ProcessName, at now: Duration) -> [Action] {
        guard let index = replacementWaiting(for: name), let replacement = pools[index].replacement else { return [] }
        let members = Set(members(of: pools[index].name))
        guard let old = replacement.old.first(where: { members.contains($0) }) else {
            return replaceNext(index, at: now)
        }
        pools[index].replacement?.step = .draining(old)
        let words = "\(name) is ready, \(old) drains"
        return [.note(.replacing(old, by: name)), .tell(request: replacement.request, words)] + retire(old, at: now)
    }

    /// Handles a worker that has ended: takes the next step of its pool's replacement, or ends it.
    mutating func removed(_ name: ProcessName, because reason: String, at now: Duration) -> [Action] {
        if let index = replacementWaiting(for: name) {
            return fail(index, "\(name) was not ready: \(reason)")
        }
        let found = pools.firstIndex { $0.replacement?.step == .draining(name) }
        guard phase == .running, let index = found else { return [] }
        pools[index].replacement?.done += 1
        return replaceNext(index, at: now)
    }

    /// Aborts replacements whose new worker is not ready in time.
    mutating func checkReplacements(at now: Duration) -> [Action] {
        pools.indices.flatMap { index -> [Action] in
            guard case .waiting(let name, let deadline)? = pools[index].replacement?.step, deadline <= now else {
                return []
            }
            let actions = fail(
                index, "\(name) was not ready within \(pools[index].rules.readyLimit.components.seconds)s")
            return actions + retire(name, at: now)
        }
    }

    private mutating func fail(_ index: Int, _ reason: String) -> [Action] {
        guard let replacement = pools[index].replacement else { return [] }
        pools[index].replacement = nil
        let count = "\(replacement.done) of \(replacement.total) were replaced, the others stay"
        return [
            .note(.replacementFailed(pool: pools[index].name, reason: reason)),
            .answer(request: replacement.request, .refused(code: 1, "\(reason); \(count).")),
        ]
    }

    /// Ends all replacements, because the fleet stops.
    mutating func endReplacements() -> [Action] {
        pools.indices.flatMap { index -> [Action] in
            guard let replacement = pools[index].replacement else { return [] }
            pools[index].replacement = nil
            return [.answer(request: replacement.request, .refused(code: 75, "The fleet is stopping."))]
        }
    }
}
