// The rolling replacement of a pool: start a new worker, let an old one end, and so on.
extension Supervisor {
    /// A replacement under way.
    struct Replacement: Equatable, Sendable {
        let request: Int
        /// The workers that were there, and are not replaced yet.
        var old: [ProcessName]
        let total: Int
        var step: Step?
        var done = 0

        enum Step: Equatable, Sendable {
            /// A new worker must become ready.
            case waiting(for: ProcessName, until: Duration)
            /// An old one ends.
            case draining(ProcessName)
        }
    }

    mutating func replace(_ pool: String, request: Int, at now: Duration) -> [Action] {
        if let refusal = refusal(toChange: pool) { return [.answer(request: request, refusal)] }
        guard let index = pools.firstIndex(where: { $0.name == pool }) else { return [] }
        let old = members(of: pool)
        guard !old.isEmpty else { return [.answer(request: request, .done("\(pool) has no workers."))] }
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

    /// A worker has begun: when it is ready.
    func beginReadiness(_ name: ProcessName, at now: Duration) -> [Action] {
        guard let index = replacementWaiting(for: name), pools[index].rules.health == nil,
            case .after(let time) = pools[index].rules.readiness
        else { return [] }
        return [.wake(at: now + time)]
    }

    /// Whether a running worker has become ready by its age.
    mutating func checkReadiness(_ name: ProcessName, at now: Duration) -> [Action] {
        guard let index = replacementWaiting(for: name), pools[index].rules.health == nil,
            case .after(let time) = pools[index].rules.readiness, case .running(let since) = records[name]?.state,
            now - since >= time
        else { return [] }
        return ready(name, at: now)
    }

    /// A worker does its work: an old one may go.
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

    /// A worker is gone: the next step of its pool's replacement, or its end.
    mutating func removed(_ name: ProcessName, because reason: String, at now: Duration) -> [Action] {
        if let index = replacementWaiting(for: name) {
            return fail(index, "\(name) was not ready: \(reason)")
        }
        let found = pools.firstIndex { $0.replacement?.step == .draining(name) }
        guard phase == .running, let index = found else { return [] }
        pools[index].replacement?.done += 1
        return replaceNext(index, at: now)
    }

    /// Gives up on new workers that are not ready in time.
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

    /// The fleet stops: nothing is replaced any more.
    mutating func endReplacements() -> [Action] {
        pools.indices.flatMap { index -> [Action] in
            guard let replacement = pools[index].replacement else { return [] }
            pools[index].replacement = nil
            return [.answer(request: replacement.request, .refused(code: 75, "The fleet is stopping."))]
        }
    }
}
