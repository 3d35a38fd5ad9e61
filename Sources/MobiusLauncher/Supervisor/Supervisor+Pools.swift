import MobiusCodec

// MARK: - The number of workers
extension Supervisor {
    /// The state of a pool.
    struct PoolState: Equatable, Sendable {
        let name: String
        let rules: Rules
        let scaling: AutoScaler.Rule
        let slots: Int
        /// The number of workers in the topology.
        let original: Replicas
        /// Set while the number of workers is automatic.
        var scaler: AutoScaler?
        /// Set while its workers are being replaced.
        var replacement: Replacement?

        init(_ pool: Pool) {
            name = pool.name
            rules = pool.rules
            scaling = pool.scaling
            slots = pool.slots
            original = pool.replicas
            follow(pool.replicas)
        }

        mutating func follow(_ replicas: Replicas) {
            if case .auto(let range) = replicas {
                scaler = AutoScaler(range: range, rule: scaling, slots: slots)
            } else {
                scaler = nil
            }
        }
    }

    /// The workers of a pool, without those that retire or have ended finally.
    func members(of pool: String) -> [ProcessName] {
        workers.filter { name in
            guard case .worker(pool, _) = name, let record = records[name] else { return false }
            return !record.isRetiring && record.state != .gone
        }
    }

    /// The workers of a pool that were given up.
    func givenUp(in pool: String) -> [ProcessName] {
        workers.filter { name in
            guard case .worker(pool, _) = name else { return false }
            return records[name]?.isGivenUp == true
        }
    }

    /// Carries out an operator's orders: all of them, or none when one is invalid.
    mutating func scale(_ orders: [ScaleRequest], request: Int, at now: Duration) -> [Action] {
        if let refusal = orders.compactMap({ problem(with: $0) }).first {
            return [.answer(request: request, refusal)]
        }
        var actions: [Action] = []
        var sizes: [PoolSize] = []
        for order in orders {
            guard let index = pools.firstIndex(where: { $0.name == order.pool }) else { continue }
            let replicas = order.replicas ?? pools[index].original
            pools[index].follow(replicas)
            // Workers that were given up may start anew, with all their restarts.
            for name in givenUp(in: order.pool) { records[name]?.isGivenUp = false }
            let before = members(of: order.pool).count
            switch replicas {
            case .fixed(let count):
                actions += resize(order.pool, to: count, because: "mobius scale", at: now)
                sizes.append(PoolSize(order.pool, from: before, to: count))
            case .auto(let range):
                let count = min(max(before, range.lowerBound), range.upperBound)
                actions += resize(order.pool, to: count, because: "mobius scale", at: now)
                sizes.append(PoolSize(order.pool, from: before, to: count, range: range))
            }
        }
        return actions + [.answer(request: request, .scaled(sizes))]
    }

    private func problem(with order: ScaleRequest) -> Answer? {
        if let answer = refusal(toChange: order.pool) { return answer }
        if case .fixed(let count) = order.replicas, !(0...Replicas.maximum).contains(count) {
            return .refused(code: 64, "\(order.pool) can have 0 to \(Replicas.maximum) workers, not \(count).")
        }
        if order.replicas == nil, case .fixed? = pools.first(where: { $0.name == order.pool })?.original {
            return .refused(
                code: 64, "The topology gives \(order.pool) no range; give one, as in '\(order.pool)=auto(1...8)'.")
        }
        return nil
    }

    /// Returns the reason why a pool cannot be changed now; nil when it can.
    func refusal(toChange name: String) -> Answer? {
        guard phase == .running else { return .refused(code: 75, "The fleet is stopping.") }
        guard let pool = pools.first(where: { $0.name == name }) else {
            let names = pools.map(\.name)
            let meant = NearestName.of(name, in: names).map { "Did you mean '\($0)'? " } ?? ""
            let known = names.isEmpty ? "It has none." : "Its pools: \(names.joined(separator: ", "))."
            return .refused(code: 64, "There is no pool '\(name)' in the fleet \(coordinator). \(meant)\(known)")
        }
        guard pool.replacement == nil else {
            return .refused(code: 75, "The workers of \(name) are being replaced; try again when that has ended.")
        }
        return nil
    }

    /// Starts or retires workers until the pool has `count`.
    mutating func resize(_ pool: String, to count: Int, because reason: String, at now: Duration) -> [Action] {
        let members = members(of: pool)
        guard count != members.count else { return [] }
        let note = Action.note(.scaling(pool: pool, from: members.count, to: count, because: reason))
        if count > members.count {
            return [note] + (members.count..<count).map { _ in .start(add(to: pool)) }
        }
        return [note] + members.suffix(members.count - count).flatMap { retire($0, at: now) }
    }

    /// Adds a worker with the lowest free number.
    mutating func add(to pool: String) -> ProcessName {
        func isFree(_ name: ProcessName) -> Bool { records[name].map { $0.state == .gone && !$0.isRetiring } ?? true }
        let numbers = (1...).lazy.map { ProcessName.worker(pool: pool, index: $0) }
        guard let name = numbers.first(where: isFree) else { preconditionFailure("there is always a free number") }
        var record = Record()
        record.state = .starting
        record.addedWhileRunning = true
        if records.updateValue(record, forKey: name) == nil {
            workers.append(name)
            let order = Dictionary(uniqueKeysWithValues: pools.enumerated().map { ($1.name, $0) })
            workers.sort { first, second in
                guard case .worker(let pool, let number) = first, case .worker(let other, let otherNumber) = second
                else {
                    return false
                }
                return (order[pool] ?? 0, number) < (order[other] ?? 0, otherNumber)
            }
        }
        return name
    }

    /// Stops a worker and does not restart it.
    mutating func retire(_ name: ProcessName, at now: Duration) -> [Action] {
        records[name]?.isRetiring = true
        let note = Action.note(.retiring(name))
        switch records[name]?.state {
        case .running: return [note] + terminate([name], at: now)
        // A starting worker is stopped as soon as it runs; the others are already stopping.
        case .starting, .stopping, .killed: return [note]
        case .idle, .waiting, .gone, nil: return [note] + remove(name, because: "it was not running", at: now)
        }
    }

    /// Removes a worker that has ended.
    mutating func remove(_ name: ProcessName, because reason: String, at now: Duration) -> [Action] {
        records[name] = nil
        workers.removeAll { $0 == name }
        return removed(name, because: reason, at: now)
    }
}
