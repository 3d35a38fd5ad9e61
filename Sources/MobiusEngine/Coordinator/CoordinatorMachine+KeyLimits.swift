import MobiusWire

// What runs under limits, and limits that apply to each key by itself.
extension CoordinatorMachine {
    /// The number of keys of which the machine remembers something besides their effects.
    package var keyCount: Int {
        keyLimits.count + pools.values.reduce(0) { $0 + $1.fair.reduce(0) { $0 + $1.keyCount } }
    }

    /// Counts an effect that a worker has, or has no more.
    mutating func count(_ plan: EffectPlan, atWorker: Bool) {
        if let limit = plan.limit { withLimit(limit) { $0.running += atWorker ? 1 : -1 } }
        guard let (name, limit) = plan.keyedLimit else { return }
        if atWorker {
            if configuration.sharesLimits, keyLimits[name] == nil { note(unshared: limit.name) }
            keyLimits[name, default: LimitState(limit)].limit = limit
            keyLimits[name]?.running += 1
        } else {
            keyLimits[name]?.running -= 1
            unpark(name)
            forgetIfIdle(name)
        }
    }

    /// An attempt at an effect begins: its rates count it.
    mutating func began(_ plan: EffectPlan, at now: Moment) {
        if let limit = plan.limit { limits[limit.name]?.began(at: now) }
        if let (name, _) = plan.keyedLimit { keyLimits[name]?.began(at: now) }
    }

    /// Wakes up when the rate of a key allows further effects.
    mutating func wake(for name: KeyedLimit, at now: Moment) {
        guard let moment = keyLimits[name]?.opens(after: now), moment != keyLimits[name]?.wakesAt else { return }
        wake(for: name, set: moment)
    }

    /// The time has come for which a key's limit was set to wake up.
    mutating func opened(_ name: KeyedLimit, at now: Moment) {
        keyLimits[name]?.wakesAt = nil
        unpark(name)
        guard let state = keyLimits[name], state.running == 0 else { return }
        if let full = state.full, full > now { wake(for: name, set: full) } else { keyLimits[name] = nil }
    }

    private mutating func wake(for name: KeyedLimit, set moment: Moment) {
        keyLimits[name]?.wakesAt = moment
        setDeadline(.keyLimit(name), at: moment)
    }

    /// A key's limit may have room: the next flush chooses among its effects again.
    private mutating func unpark(_ name: KeyedLimit) {
        guard let places = keyLimits[name]?.parked, !places.isEmpty else { return }
        keyLimits[name]?.parked = []
        for place in places where pools.contains(place.pool) {
            for queue in pools[place.pool].fair.indices
            where pools[place.pool].fair[queue].priority == place.lane.priority {
                pools[place.pool].fair[queue].unpark(name.key, in: place.lane)
            }
        }
    }

    /// Keys come and go without end: the limit of one goes when nothing runs under it and its rate's bucket is full.
    private mutating func forgetIfIdle(_ name: KeyedLimit) {
        guard let state = keyLimits[name], state.running == 0 else { return }
        guard let full = state.full else {
            keyLimits[name] = nil
            return
        }
        if state.wakesAt == nil { wake(for: name, set: full) }
    }
}
