/// A fault of a process, a connection or the calendar.
package enum Trouble: String, Sendable, CaseIterable {
    /// A connection ends, and both sides detect it.
    case breakLink
    /// No message passes between a worker's place and the coordinator for a while, in one direction or both.
    case partition
    case killWorker
    /// A worker process is stopped and continued, as by SIGSTOP and SIGCONT.
    case stopWorker
    /// A worker is drained, and another one starts in its place.
    case drainWorker
    case killCoordinator
    case stopCoordinator
    /// The coordinator stops in an orderly way, and restarts.
    case endCoordinator
    /// A second coordinator opens the journal while the first one still runs.
    case replaceCoordinator
    /// An unknown peer connects and sends malformed bytes, or messages without a valid session.
    case unknownPeer
    /// The calendar clock jumps.
    case clockJump
}

/// The kinds and rates of the faults in a run, and how long they last.
package struct FaultPlan: Sendable {
    package var network = NetworkFaults()
    package var disk = DiskFaults()
    /// The number of troubles per 10,000 steps.
    package var rate = 0
    /// The troubles to choose from; one that is listed twice occurs twice as often.
    package var troubles: [Trouble] = []
    /// The number of steps in which faults occur.
    package var steps = 600
    /// The maximum number of troubles; `nil` for no limit.
    package var limit: Int?
    /// Whether a test injects faults, too.
    package var hasInjectedFaults = false

    package init() {}

    /// Whether no fault affects workers and their messages, except restarts of the coordinator.
    var sparesWorkers: Bool {
        network.lost == 0 && network.delayed == 0 && network.cut == 0 && !hasInjectedFaults
            && troubles.allSatisfy { [.killCoordinator, .endCoordinator, .unknownPeer, .clockJump].contains($0) }
    }
}
