/// Decides how many workers a pool has, by what waits for them and for how long.
///
/// Pure: it is fed with samples of the coordinator's status. A pool grows when effects find no room for longer than
/// ``Rule/age``, by what the backlog would fill, but at most to twice its size; then it gives the newcomers ``Rule/cooldown`` to
/// begin. It shrinks when all that was there in the last ``Rule/idle`` would have fitted into fewer with a quarter to spare: so
/// growing and shrinking are apart, and neither follows the other at once.
package struct AutoScaler: Equatable, Sendable {
    /// When it acts.
    package struct Rule: Equatable, Sendable {
        /// How long effects may find no room before the pool grows.
        package var age: Duration = .seconds(2)
        /// The least time between one growth and the next.
        package var cooldown: Duration = .seconds(10)
        /// How far back it looks before the pool shrinks.
        package var idle: Duration = .seconds(60)

        /// Makes the default rule.
        package init() {}
    }

    /// What the coordinator says of a pool.
    package struct Sample: Equatable, Sendable {
        /// How many workers serve it.
        package var workers = 0
        /// How many effects would start, had a worker room.
        package var ready = 0
        /// How many run.
        package var running = 0
        /// How many more the workers would take.
        package var credit = 0
        /// How long the oldest of the ready has waited.
        package var oldest: Duration = .zero

        /// Makes a sample of an idle pool without workers.
        package init() {}
    }

    /// A change.
    package struct Decision: Equatable, Sendable {
        /// How many workers there should be.
        package let replicas: Int
        /// Why, for the log.
        package let reason: String
    }

    private struct Need: Equatable {
        let time: Duration
        let workers: Int
    }

    /// Samples that are further apart leave unknown what was between them.
    private static let longestGap: Duration = .seconds(5)

    private let range: ClosedRange<Int>
    private let rule: Rule
    /// How many effects one worker runs at once; learnt from the samples.
    private var slots: Int
    /// Since when there has been work without room.
    private var crowded: Duration?
    private var grown: Duration?
    /// Since when samples have come without a gap.
    private var watching: Duration?
    private var last: Duration?
    /// How many workers would have sufficed at a time; falling, so that the first is the most.
    private var needs: [Need] = []

    /// Makes a scaler.
    ///
    /// - Parameters:
    ///   - range: The fewest and the most workers.
    ///   - rule: When it acts.
    ///   - slots: How many effects one worker runs at once, until a sample tells.
    package init(range: ClosedRange<Int>, rule: Rule = Rule(), slots: Int = 1) {
        self.range = range
        self.rule = rule
        self.slots = max(1, slots)
    }

    /// Takes a sample; returns a change, if there should be one, of the pool that has so many workers or is starting them.
    package mutating func decide(_ sample: Sample, replicas: Int, at now: Duration) -> Decision? {
        observe(sample, at: now)
        guard range.contains(replicas) else {
            let nearest = min(max(replicas, range.lowerBound), range.upperBound)
            return Decision(replicas: nearest, reason: "from \(range.lowerBound) to \(range.upperBound)")
        }
        return growth(sample, replicas: replicas, at: now) ?? shrinkage(replicas: replicas, at: now)
    }

    private mutating func observe(_ sample: Sample, at now: Duration) {
        if let last, now - last <= Self.longestGap {} else { (watching, crowded, needs) = (now, nil, []) }
        last = now
        let held = sample.running + sample.credit
        if sample.workers > 0, held > 0 { slots = max(1, held / sample.workers) }
        if sample.ready > 0, sample.credit == 0 { crowded = crowded ?? now } else { crowded = nil }
        let spare = workers(for: (sample.ready + sample.running) * 4, slots: slots * 3)
        needs.removeAll { $0.time <= now - rule.idle }
        needs.removeAll { $0.workers <= spare }
        needs.append(Need(time: now, workers: spare))
    }

    private mutating func growth(_ sample: Sample, replicas: Int, at now: Duration) -> Decision? {
        guard let crowded, replicas < range.upperBound else { return nil }
        let waited = max(sample.oldest, now - crowded)
        if replicas > 0 {
            guard waited >= rule.age else { return nil }
            if let grown, now - grown < rule.cooldown { return nil }
        }
        let wanted = workers(for: sample.ready + sample.running, slots: slots)
        let replicas = min(max(replicas + 1, min(wanted, replicas * 2)), range.upperBound)
        grown = now
        return Decision(
            replicas: replicas,
            reason: "\(sample.ready) waiting for \(waited.components.seconds)s, \(slots) at once in a worker")
    }

    private func shrinkage(replicas: Int, at now: Duration) -> Decision? {
        guard let watching, now - watching >= rule.idle else { return nil }
        if let grown, now - grown < rule.idle { return nil }
        let most = max(range.lowerBound, needs.first?.workers ?? 0)
        guard most < replicas else { return nil }
        return Decision(replicas: most, reason: "\(most) would have sufficed for \(rule.idle.components.seconds)s")
    }

    /// The least number of workers that have room for so many effects.
    private func workers(for effects: Int, slots: Int) -> Int {
        (effects + slots - 1) / slots
    }
}
