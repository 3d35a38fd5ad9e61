/// What goes wrong in a ``TestFleet`` by chance; the seed says what, when and how much.
///
/// Each seed has its own mix: some kinds of these, and at most so many troubles. Kinds that concern messages and the disk
/// last until ``TestFleet/finish()``.
public struct FleetFaults: Sendable {
    /// Something that can go wrong.
    public enum Kind: Sendable, CaseIterable {
        /// A worker process is gone at once, and another one starts.
        case killWorker
        /// A worker process stands still for a while.
        case stopWorker
        /// A worker is told to leave, and another one takes its place.
        case drainWorker
        /// The coordinator is gone at once, between any two of its steps, and starts again.
        case killCoordinator
        /// The coordinator stands still for a while.
        case stopCoordinator
        /// The coordinator is told to stop, and starts again.
        case restartCoordinator
        /// A connection ends, and is made anew.
        case breakConnection
        /// Nothing passes between a worker and the coordinator for a while.
        case cutNetwork
        /// Messages get lost.
        case loseMessages
        /// Messages come twice.
        case doubleMessages
        /// Messages are held up.
        case delayMessages
        /// Writing to the journal takes long.
        case slowDisk
        /// Writing to the journal fails now and then, which ends the coordinator.
        case failingDisk
        /// The calendar jumps.
        case jumpCalendar
    }

    let kinds: Set<Kind>
    let limit: Int

    /// Some of these kinds of faults.
    ///
    /// - Parameters:
    ///   - kinds: What may go wrong.
    ///   - limit: How often processes, connections and calendars come to harm in one run, at most: 8.
    public init(_ kinds: Set<Kind>, limit: Int = 8) {
        self.kinds = kinds
        self.limit = limit
    }

    /// Nothing goes wrong by chance.
    public static let none = FleetFaults([])

    /// Anything may go wrong.
    public static let all = FleetFaults(Set(Kind.allCases))

    /// The mix of a seed.
    func plan(seed: UInt64) -> FaultPlan {
        var plan = FaultPlan()
        plan.isInterfered = true
        plan.limit = limit
        guard !kinds.isEmpty else { return plan }
        var draw = Chance(seed: seed &+ 0xFA17)
        plan.rate = draw.pick([20, 60, 200, 400])
        // A few kinds that come often find more than all kinds that come seldom.
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
