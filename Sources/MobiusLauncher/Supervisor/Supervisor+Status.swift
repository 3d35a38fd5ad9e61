// MARK: - The coordinator's status, requested only when it is needed
extension Supervisor {
    /// The schedule of status requests.
    struct StatusSchedule: Equatable, Sendable {
        var isUnderWay = false
        /// The time before which no request is sent.
        var next: Duration = .zero
        /// The time for which a wake-up was last requested.
        var woken: Duration?
    }

    /// The interval while the number of workers of a pool is automatic.
    private static let interval: Duration = .seconds(1)
    /// The interval while a replacement waits for a new worker.
    private static let shortInterval: Duration = .milliseconds(200)
    /// The pause is at least this many times the time of a reply.
    ///
    /// The coordinator visits every effect for a reply; this keeps the cost below a twentieth of its time.
    private static let pauseFactor = 20
    /// The longest pause, because a reply may also be slow for other reasons, such as a starting coordinator.
    private static let longestPause: Duration = .seconds(4)

    private var awaitsSession: Bool {
        pools.contains { pool in
            guard case .waiting? = pool.replacement?.step else { return false }
            return pool.rules.health == nil && pool.rules.readiness == .session
        }
    }

    /// Requests the coordinator's status when it is due and needed.
    mutating func requestStatus(at now: Duration) -> [Action] {
        guard phase == .running, !statusSchedule.isUnderWay,
            awaitsSession || awaitsCoordinator || pools.contains(where: { $0.scaler != nil })
        else { return [] }
        if statusSchedule.next <= now {
            statusSchedule.isUnderWay = true
            return [.askStatus]
        }
        guard statusSchedule.woken != statusSchedule.next else { return [] }
        statusSchedule.woken = statusSchedule.next
        return [.wake(at: statusSchedule.next)]
    }

    /// Handles the coordinator's reply.
    mutating func status(_ sample: Sample?, took: Duration, at now: Duration) -> [Action] {
        statusSchedule.isUnderWay = false
        if coordinatorChange?.ignoresReply == true {
            coordinatorChange?.ignoresReply = false
            // The request may have reached the run before.
            return []
        }
        let pause = sample == nil ? .zero : min(took * Self.pauseFactor, Self.longestPause)
        statusSchedule.next = now + max(awaitsSession || awaitsCoordinator ? Self.shortInterval : Self.interval, pause)
        guard phase == .running, let sample else { return [] }
        var actions = answered(at: now)
        for name in workers where sample.sessions.contains("\(name)") {
            guard rules(of: name).health == nil, rules(of: name).readiness == .session,
                case .running = records[name]?.state
            else { continue }
            actions += ready(name, at: now)
        }
        for index in pools.indices where pools[index].replacement == nil && givenUp(in: pools[index].name).isEmpty {
            let name = pools[index].name
            let (seen, count) = (sample.pools[name] ?? AutoScaler.Sample(), members(of: name).count)
            guard let decision = pools[index].scaler?.decide(seen, replicas: count, at: now) else { continue }
            actions += resize(name, to: decision.replicas, because: decision.reason, at: now)
        }
        return actions
    }
}
