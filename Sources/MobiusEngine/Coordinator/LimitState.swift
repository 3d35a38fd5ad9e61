import MobiusWire

/// The usage of one limit.
struct LimitState: Equatable, Sendable {
    /// The limit of the route that was used last.
    var limit: EffectLimit
    /// The number of its effects at workers.
    var running = 0
    /// When the rate's bucket would be full again (the "theoretical arrival time" of the generic cell rate algorithm,
    /// ITU-T I.371).
    private(set) var full: Moment?
    /// When the coordinator dispatches again because of it.
    var wakesAt: Moment?
    /// Where its key waits for it, if it is a key's limit.
    var parked: [Place] = []

    /// A lane of a pool.
    struct Place: Equatable, Sendable {
        let pool: SlotTable<String, PoolState>.Slot
        let lane: PoolState.LaneKey
    }

    init(_ limit: EffectLimit) {
        self.limit = limit
    }

    /// Whether one more effect may run.
    var hasRoom: Bool { limit.concurrency.map { running < $0 } ?? true }

    /// When the rate allows the next one to begin; `nil` for at once.
    func opens(after now: Moment) -> Moment? {
        guard let rate = limit.rate, let full else { return nil }
        let pause = rate.time / rate.count
        let earliest = full + (pause - rate.time)
        return earliest > now ? earliest : nil
    }

    /// Whether no more effects may begin now.
    func isBlocked(at now: Moment) -> Bool { !hasRoom || opens(after: now) != nil }

    mutating func began(at now: Moment) {
        guard let rate = limit.rate else { return }
        full = max(full ?? now, now) + rate.time / rate.count
    }
}

/// A limit that applies to each key by itself, for one key.
struct KeyedLimit: Hashable, Sendable {
    let name: String
    let key: ExactText
}
