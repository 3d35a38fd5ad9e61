// What the coordinator says of its pools and workers, where that is needed.
extension Supervisor {
    /// When the coordinator is asked.
    struct Inquiry: Equatable, Sendable {
        var isUnderWay = false
        /// Not before this.
        var next: Duration = .zero
        /// For which time a wake was asked for.
        var woken: Duration?
    }

    /// While pools follow their work.
    private static let interval: Duration = .seconds(1)
    /// While a new worker is waited for.
    private static let shortInterval: Duration = .milliseconds(200)
    /// The coordinator looks at every effect for an answer: this keeps that below a twentieth of its time.
    private static let leisure = 20
    /// An answer may take long for other reasons, such as that the coordinator has yet to begin.
    private static let longestPause: Duration = .seconds(4)

    private var awaitsSession: Bool {
        pools.contains { pool in
            guard case .waiting? = pool.replacement?.step else { return false }
            return pool.rules.health == nil && pool.rules.readiness == .session
        }
    }

    /// Asks the coordinator when it is time and anybody wants to know.
    mutating func inquire(at now: Duration) -> [Action] {
        guard phase == .running, !inquiry.isUnderWay, awaitsSession || pools.contains(where: { $0.scaler != nil })
        else { return [] }
        if inquiry.next <= now {
            inquiry.isUnderWay = true
            return [.askStatus]
        }
        guard inquiry.woken != inquiry.next else { return [] }
        inquiry.woken = inquiry.next
        return [.wake(at: inquiry.next)]
    }

    /// Takes the coordinator's answer.
    mutating func status(_ sample: Sample?, took: Duration, at now: Duration) -> [Action] {
        inquiry.isUnderWay = false
        let pause = sample == nil ? .zero : min(took * Self.leisure, Self.longestPause)
        inquiry.next = now + max(awaitsSession ? Self.shortInterval : Self.interval, pause)
        guard phase == .running, let sample else { return [] }
        var actions: [Action] = []
        for name in workers where sample.sessions.contains("\(name)") {
            guard rules(of: name).health == nil, rules(of: name).readiness == .session,
                case .running = records[name]?.state
            else { continue }
            actions += ready(name, at: now)
        }
        for index in pools.indices where pools[index].replacement == nil {
            let name = pools[index].name
            let (seen, count) = (sample.pools[name] ?? AutoScaler.Sample(), members(of: name).count)
            guard let decision = pools[index].scaler?.decide(seen, replicas: count, at: now) else { continue }
            actions += resize(name, to: decision.replicas, because: decision.reason, at: now)
        }
        return actions
    }
}
