import MobiusCore
package import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusProgram
package import MobiusTestKit
package import MobiusWire

/// Builds of the program, one of which has a mistake: what it traps on holds its loop until an operator or the next build helps.
package struct TrapPlan: Sendable {
    /// The number of the build with the mistake; the first build of a run has number 1.
    package var faulty: Int
    /// The times at which the next builds are deployed, from the start of the run; the last one latest with the last
    /// fault.
    package var deployments: [Duration]

    package init(faulty: Int, deployments: [Duration]) {
        self.faulty = faulty
        self.deployments = deployments
    }
}

/// The traps of a run so far.
struct TrapRecord {
    /// The number of times that each loop trapped a process.
    var counts: [LoopID: Int] = [:]
    /// The number of traps of the program at each place, by the name that it gives to it.
    var places: [String: Int] = [:]
    /// The operators' requests that release loops, and the builds that got them.
    var releases: [RequestID: (loop: LoopID, build: Int)] = [:]
    /// The ids of all of these.
    var releaseRequests: Set<RequestID> = []
    /// What the program did for each loop when it trapped, in words: the same build refuses to do some of it again.
    var doings: [LoopID: Set<String>] = [:]
    /// The events that operators dropped.
    var dropped: Set<History.Source> = []
}

// Traps of the program, and those who look after the loops that they hold.
extension Simulation {
    /// The number of traps of the program at each of its places.
    package var trapCounts: [String: Int] { trapRecord.places }

    package func breadcrumbs(on disk: Disk, epoch: UInt64) -> (any Breadcrumbs, build: String)? {
        guard scenario.traps != nil else { return nil }
        let breadcrumbs = SimulatedBreadcrumbs(disk, epoch: epoch, build: build)
        return (breadcrumbs, breadcrumbs.buildName)
    }

    package func recovered(from disk: Disk, _ breadcrumbs: (any Breadcrumbs)?) throws {
        guard let breadcrumbs = breadcrumbs as? SimulatedBreadcrumbs, breadcrumbs.trapped != nil else { return }
        // What it has forgotten since.
        let left = try disk.content.crashes().map(\.breadcrumb)
        for crash in breadcrumbs.crashes
        where !left.contains(where: { $0.loop == crash.breadcrumb.loop && $0.source == crash.breadcrumb.source }) {
            for past in (0..<UInt64(crash.count)).reversed() {
                _ = try disk.content.noteCrash(
                    crash.breadcrumb, build: crash.build, epoch: crash.epoch &- past, at: crash.time)
            }
            if crash.isDropped { try disk.content.markDropped(crash.breadcrumb.source, of: crash.breadcrumb.loop) }
        }
        trapped(breadcrumbs)
        throw EndedAtStart()
    }

    package func begins(_ process: CoordinatorProcess<Program>) {
        if let breadcrumbs = process.breadcrumbs as? SimulatedBreadcrumbs {
            breadcrumbs.onTrap = { [unowned self, unowned process, unowned breadcrumbs] in
                // The call that has trapped returns into it.
                plan(after: .zero) { [process] _ in withExtendedLifetime(process) {} }
                world.crash(process)
                trapped(breadcrumbs)
            }
        }
        checkHeld(by: process)
    }

    /// The program has trapped in a process, which is dead now.
    private func trapped(_ breadcrumbs: SimulatedBreadcrumbs) {
        guard let loop = breadcrumbs.trapped else { return }
        trapRecord.counts[loop, default: 0] += 1
        trapRecord.places[breadcrumbs.place, default: 0] += 1
        let crumbs = world.disks[0].traces.map(\.breadcrumb)
        world.log(
            "coordinator#\(breadcrumbs.epoch)",
            "traps in \(breadcrumbs.place) for loop \(loop), at \(crumbs.map(\.source.words))")
        guard let crumb = crumbs.first, crumb.loop == loop, crumbs.count == 1 else {
            return violated(
                .quarantine, "the program trapped for loop \(loop), and its breadcrumbs name \(crumbs.map(\.loop))")
        }
        trapRecord.doings[loop, default: []].insert(crumb.source.words)
        let isKnown = breadcrumbs.crashes.contains {
            $0.breadcrumb.loop == loop && $0.breadcrumb.source == crumb.source && $0.count > 1 && !$0.isDropped
        }
        if isKnown, !breadcrumbs.released.contains(loop) {
            violated(.quarantine, "loop \(loop) was not held, although it had trapped at \(crumb.source.words) twice")
        }
    }

    /// Checks that a process holds only loops for which the program has trapped.
    private func checkHeld(by process: CoordinatorProcess<Program>) {
        for loop in process.host.held.keys.sorted(by: { $0.name < $1.name }) where !mayBeHeld(loop) {
            violated(.quarantine, "\(process.name) holds loop \(loop), for which nothing has trapped twice")
        }
    }

    /// Deploys the builds of the plan, and simulates the operators of held loops.
    func simulateQuarantine(_ traps: TrapPlan) {
        for pause in traps.deployments { plan(after: pause) { if $0.world.isFaulty { $0.deploy() } } }
        lookAfterHeldLoops()
    }

    /// Deploys the next build, with which the coordinator starts again.
    func deploy() {
        build += 1
        world.log("operator", "deploys build \(build)")
        for process in world.coordinators where process.isAlive {
            if chance.percent(50), !process.isStopped, !process.isEnding {
                process.stopOrderly()
            } else {
                world.crash(process)
            }
        }
    }

    /// Deploys the build without the mistake, when the last fault is over.
    func mend() {
        guard let traps = scenario.traps else { return }
        while build <= traps.faulty { deploy() }
    }

    private func lookAfterHeldLoops() {
        plan(after: chance.milliseconds(100...800)) { $0.lookAfterHeldLoops() }
        guard let coordinator = world.coordinator, coordinator.isAlive, !coordinator.host.held.isEmpty else { return }
        let isFaulty = build == scenario.traps?.faulty
        // Its loop would only trap again, and hold up the others.
        guard !isFaulty || chance.percent(30) else { return }
        let held = chance.pick(coordinator.host.held.values.sorted { $0.loop.name < $1.loop.name })
        // The loss of an event from outside is one that the program can bear.
        let key: String? = if case .outside(let key) = held.crashed?.source { key } else { nil }
        let drops = isFaulty && key != nil && held.refusalToDrop == nil && chance.percent(50)
        let request = newRequest()
        trapRecord.releases[request] = (held.loop, build)
        trapRecord.releaseRequests.insert(request)
        (coordinator.breadcrumbs as? SimulatedBreadcrumbs)?.released.insert(held.loop)
        if drops, let key { trapRecord.dropped.insert(History.Source(loop: held.loop, key: .outside(key))) }
        world.log("operator", "releases loop \(held.loop)\(drops ? ", and drops its event" : "")")
        coordinator.handle(.release(held.loop, drop: drops, sequence: held.sequence), as: request)
    }

    /// Handles the answer to an operator who releases a loop.
    ///
    /// - Returns: whether the request was one of those.
    func handleRelease(_ number: RequestID, _ answer: ClientAnswer) -> Bool {
        guard let (loop, build) = trapRecord.releases.removeValue(forKey: number) else {
            return trapRecord.releaseRequests.contains(number)
        }
        trace("operator", "\(loop) is released: \(answer)")
        switch answer {
        case .done, .busy, .notFound: break
        case .refused where build == scenario.traps?.faulty: break
        // What trapped before the newest trap holds it now.
        case .refused(let refusal)
        where refusal.reason.contains("is held again") && trapRecord.doings[loop, default: []].count > 1:
            break
        default: violated(.quarantine, "the release of loop \(loop) got \(answer)")
        }
        return true
    }

    /// Whether a loop may be held: the program has trapped for it twice, or an earlier build cannot read its events.
    package func mayBeHeld(_ loop: LoopID) -> Bool { trapRecord.counts[loop] ?? 0 >= 2 || scenario.earlier != nil }

    package func hasDropped(_ key: String, of loop: LoopID) -> Bool {
        trapRecord.dropped.contains(History.Source(loop: loop, key: .outside(key)))
    }
}
