/// What goes wrong in a run, besides messages and flushes.
package enum Trouble: String, Sendable, CaseIterable {
    /// A connection ends, and both sides see it.
    case breakLink
    /// Nothing passes between a worker's place and the coordinator for a while, one way or both.
    case partition
    case killWorker
    /// A worker process stops and goes on later, as at SIGSTOP and SIGCONT.
    case stopWorker
    /// A worker is told to leave, and another one takes its place.
    case drainWorker
    case killCoordinator
    case stopCoordinator
    /// The coordinator is told to stop, and starts again.
    case endCoordinator
    /// A coordinator is started in the place of one that still runs and does not know that it was replaced.
    case replaceCoordinator
    /// Somebody connects and sends bytes that are no message, or messages of nobody's session.
    case stranger
    /// The calendar's clock jumps.
    case clockJump
}

/// How much goes wrong in a run, and for how long.
package struct FaultPlan: Sendable {
    package var network = NetworkFaults()
    package var disk = DiskFaults()
    /// How many of ten thousand steps bring trouble.
    package var rate = 0
    /// The troubles to choose from; one that is named twice comes twice as often.
    package var troubles: [Trouble] = []
    /// For how many steps things go wrong.
    package var steps = 600
    /// How many troubles there are at most; `nil` for no limit.
    package var limit: Int?
    /// Whether somebody else makes trouble, too.
    package var isInterfered = false

    package init() {}

    /// Whether workers and their connections do their work undisturbed, but for coordinators that come and go.
    var sparesWorkers: Bool {
        network.lost == 0 && network.delayed == 0 && network.cut == 0 && !isInterfered
            && troubles.allSatisfy { [.killCoordinator, .endCoordinator, .stranger, .clockJump].contains($0) }
    }
}
