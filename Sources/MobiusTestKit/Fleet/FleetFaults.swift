/// Random faults of a ``TestFleet``; the seed determines their kinds, times and rates.
///
/// If three or more kinds are given, each seed uses a random subset of them. Message and disk faults occur until
/// ``TestFleet/finish()``; the number of all other faults is limited.
public struct FleetFaults: Sendable {
    /// A kind of fault.
    public enum Kind: Sendable, CaseIterable {
        /// A worker process is killed, and another one starts in its place.
        case killWorker
        /// A worker process is stopped for a while, as by SIGSTOP and SIGCONT.
        case stopWorker
        /// A worker is drained, and another one starts in its place.
        case drainWorker
        /// The coordinator is killed between any two of its steps, and restarts.
        case killCoordinator
        /// The coordinator is stopped for a while, as by SIGSTOP and SIGCONT.
        case stopCoordinator
        /// The coordinator stops in an orderly way, and restarts.
        case restartCoordinator
        /// A connection ends, and the worker reconnects.
        case breakConnection
        /// No message passes between a worker and the coordinator for a while, in one direction or both.
        case cutNetwork
        /// Messages are lost.
        case loseMessages
        /// Messages are delivered twice.
        case doubleMessages
        /// Messages are delayed.
        case delayMessages
        /// Writes to the journal are slow.
        case slowDisk
        /// Some writes to the journal fail; each failure ends the coordinator, which restarts.
        case failingDisk
        /// The calendar clock jumps forward or back.
        case jumpCalendar
    }

    let kinds: Set<Kind>
    let limit: Int

    /// Creates a set of random faults.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of faults that may occur.
    ///   - limit: The maximum number of process, connection and calendar faults in one run. The default is 8.
    public init(_ kinds: Set<Kind>, limit: Int = 8) {
        self.kinds = kinds
        self.limit = limit
    }

    /// No random faults.
    public static let none = FleetFaults([])

    /// All kinds of random faults.
    public static let all = FleetFaults(Set(Kind.allCases))

    /// The faults of one seed.
    func plan(seed: UInt64) -> FaultPlan {
        var plan = FaultPlan()
        plan.hasInjectedFaults = true
        plan.limit = limit
        guard !kinds.isEmpty else { return plan }
        var draw = Chance(seed: seed &+ 0xFA17)
        plan.rate = draw.pick([20, 60, 200, 400])
        // A few frequent kinds find more errors than many rare ones.
        for kind in Kind.allCases where kinds.contains(kind) {
            guard kinds.count < 3 || draw.percent(50) else { continue }
            switch kind {
            case .killWorker: plan.troubles.append(.killWorker)
            case .stopWorker: plan.troubles.append(.stopWorker)
            case .drainWorker: plan.troubles.append(.drainWorker)
            case .killCoordinator: plan.troubles.append(.killCoordinator)
            case .stopCoordinator: plan.troubles.append(.stopCoordinator)
            case .restartCoordinator: plan.troubles.append(.endCoordinator)
            case .breakConnection: plan.troubles.append(.breakLink)
            case .cutNetwork: plan.troubles.append(.partition)
            case .jumpCalendar: plan.troubles.append(.clockJump)
            case .loseMessages: plan.network.lost = draw.pick([50, 300, 1000])
            case .doubleMessages: plan.network.doubled = draw.pick([50, 500])
            case .delayMessages: plan.network.delayed = draw.pick([50, 400])
            case .slowDisk: plan.disk.slow = draw.pick([50, 400])
            case .failingDisk: plan.disk.failing = draw.pick([50, 300])
            }
        }
        return plan
    }
}
