/// Decides how many workers a pool has, from the number of waiting effects and how long they wait.
///
/// A pure value, fed with samples of the coordinator's status. A pool grows when effects find no room for longer than
/// ``Rule/age``, by as many workers as the backlog would fill, but at most to twice its size; it does not grow again
/// for ``Rule/cooldown``, so that new workers can begin. It shrinks when all effects of the last ``Rule/idle`` would
/// have fitted into fewer workers with a quarter to spare. The thresholds for growing and shrinking differ, so that
/// neither follows the other at once.
package struct AutoScaler: Equatable, Sendable {
    /// The thresholds for changes.
    package struct Rule: Equatable, Sendable {
        /// The time for which effects may find no room before the pool grows.
        package var age: Duration = .seconds(2)
        /// The minimum time between two increases.
        package var cooldown: Duration = .seconds(10)
        /// The period that a decrease is based on.
        package var idle: Duration = .seconds(60)

        /// Makes the default rule.
        package init() {}
    }

    /// The state of a pool in the coordinator's status.
    package struct Sample: Equatable, Sendable {
        /// The number of workers that serve the pool.
        package var workers = 0
        /// The number of effects that would start if a worker had room.
        package var ready = 0
        /// The number of running effects.
        package var running = 0
        /// The number of further effects that the workers would take.
        package var credit = 0
        /// The time that the oldest ready effect has waited.
        package var oldest: Duration = .zero

        /// Makes a sample of an idle pool without workers.
        package init() {}
    }

    /// A change of the number of workers.
    package struct Decision: Equatable, Sendable {
        /// The new number of workers.
        package let replicas: Int
        /// The reason, for the log.
        package let reason: String
    }

    private struct Need: Equatable {
        let time: Duration
        let workers: Int
    }

    /// After a longer gap between samples, earlier samples are discarded.
    private static let longestGap: Duration = .seconds(5)

    private let range: ClosedRange<Int>
    private let rule: Rule
    /// The number of effects that one worker runs at once; derived from the samples.
    private var slots: Int
    /// The time since which effects have waited without room.
    private var crowdedSince: Duration?
    private var lastGrowth: Duration?
    /// The time since which samples have come without a gap.
    private var samplingSince: Duration?
    private var last: Duration?
    /// The number of workers that each recent sample needed; in decreasing order, so that the first is the maximum.
    private var needs: [Need] = []

    /// Makes a scaler of one pool.
    ///
    /// - Parameters:
    ///   - range: The minimum and maximum number of workers.
    ///   - rule: The thresholds.
    ///   - slots: The number of effects that one worker runs at once, until a sample shows it.
    package init(range: ClosedRange<Int>, rule: Rule = Rule(), slots: Int = 1) {
        self.range = range
        self.rule = rule
        self.slots = max(1, slots)
    }

    /// Adds a sample; returns a change if there should be one.
    ///
    /// `replicas` includes workers that are starting.
    package mutating func decide(_ sample: Sample, replicas: Int, at now: Duration) -> Decision? {
        observe(sample, at: now)
        guard range.contains(replicas) else {
            let nearest = min(max(replicas, range.lowerBound), range.upperBound)
            return Decision(replicas: nearest, reason: "from \(range.lowerBound) to \(range.upperBound)")
        }
        return growth(sample, replicas: replicas, at: now) ?? shrinkage(replicas: replicas, at: now)
    }

    private mutating func observe(_ sample: Sample, at now: Duration) {
        if let last, now - last <= Self.longestGap {} else { (samplingSince, crowdedSince, needs) = (now, nil, []) }
        last = now
        let held = sample.running + sample.credit
        if sample.workers > 0, held > 0 { slots = max(1, held / sample.workers) }
        if sample.ready > 0, sample.credit == 0 { crowdedSince = crowdedSince ?? now } else { crowdedSince = nil }
        let spare = workers(for: (sample.ready + sample.running) * 4, slots: slots * 3)
        needs.removeAll { $0.time <= now - rule.idle }
        needs.removeAll { $0.workers <= spare }
        needs.append(Need(time: now, workers: spare))
    }

    private mutating func growth(_ sample: Sample, replicas: Int, at now: Duration) -> Decision? {
        guard let crowdedSince, replicas < range.upperBound else { return nil }
        let waited = max(sample.oldest, now - crowdedSince)
        if replicas > 0 {
            guard waited >= rule.age else { return nil }
            if let lastGrowth, now - lastGrowth < rule.cooldown { return nil }
        }
        let wanted = workers(for: sample.ready + sample.running, slots: slots)
        let replicas = min(max(replicas + 1, min(wanted, replicas * 2)), range.upperBound)
        lastGrowth = now
        return Decision(
            replicas: replicas,
            reason: "\(sample.ready) waiting for \(waited.components.seconds)s, \(slots) at once in a worker")
    }

    private func shrinkage(replicas: Int, at now: Duration) -> Decision? {
        guard let samplingSince, now - samplingSince >= rule.idle else { return nil }
        if let lastGrowth, now - lastGrowth < rule.idle { return nil }
        let most = max(range.lowerBound, needs.first?.workers ?? 0)
        guard most < replicas else { return nil }
        return Decision(replicas: most, reason: "\(most) would have sufficed for \(rule.idle.components.seconds)s")
    }

    /// The minimum number of workers with room for `effects` effects.
    private func workers(for effects: Int, slots: Int) -> Int {
        (effects + slots - 1) / slots
    }
}
