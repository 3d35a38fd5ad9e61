package import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusProgram
package import MobiusTestKit
package import MobiusWire

// A whole run: steps with faults, steps without faults, the final requests, and the final checks.
extension Simulation {
    /// Runs to the end, or to the first broken promise.
    ///
    /// - Returns: the broken promises; empty if there are none.
    package func run() -> [Violation] {
        defer { world.queue = EventQueue() }
        while world.steps < scenario.faults.steps, violations.isEmpty { world.step() }
        world.stopFaults()
        let last = world.now
        guard waitFor("an answer to all requests", { world.isAnswered }) else {
            return violations
        }
        while world.now - last < scenario.timing.deadAfter, violations.isEmpty { world.step() }
        isClosing = true
        if let jump = scenario.lateJump { world.jumpCalendar(by: jump) }
        for request in scenario.finalRequests { world.send(request) }
        guard waitFor("the end of all effects", { isQuiet }), waitForShares() else { return violations }
        settle()
        checkTheEnd()
        if violations.isEmpty { flood() }
        return violations
    }

    /// The events of the leases of the cluster's coordinators.
    package var clusterCounts: ClusterCounts { cluster?.counts ?? ClusterCounts() }

    /// Returns the number of times that a loop has begun.
    package func begins(of loop: LoopID) -> Int { history.begins[loop] ?? 0 }

    /// The loops that operators have ended.
    package var endedByHand: Set<LoopID> { history.endedByHand }

    /// The models of all loops that result from their events on disk.
    package var finalModels: [LoopID: Program.Model] { world.modelChecker.models }

    /// Runs until the condition is true, for at most 60 times `deadAfter`, which covers all time-outs and pauses in
    /// sequence.
    ///
    /// - Returns: whether the condition became true and no promise was broken.
    private func waitFor(_ what: String, for limit: Duration? = nil, _ isReached: () -> Bool) -> Bool {
        let start = world.now
        let patience = limit ?? scenario.timing.deadAfter * 60
        while !isReached(), violations.isEmpty {
            if world.now - start > patience || world.steps > 400_000 {
                violated(.quiet, "\(what) is still missing after a wait of \(world.now - start): \(unfinished)")
                return false
            }
            world.step()
        }
        return violations.isEmpty
    }

    /// Waits until each host runs its share of the shards, and no other.
    private func waitForShares() -> Bool {
        guard let cluster else { return true }
        // A process gets no more for a while after failures.
        return waitFor("a share of the shards for every host", for: cluster.plan.timing.lease * 40) {
            isQuiet && cluster.isFair
        }
    }

    private var violations: [Violation] { world.violations }

    private var isQuiet: Bool {
        guard history.pendingCount == 0, world.isAnswered, operations.isEmpty, pauses.isEmpty else {
            return false
        }
        guard world.newest.allSatisfy({ $0.map { $0.isAlive && !$0.isEnding && $0.host.held.isEmpty } ?? false }),
            cluster?.hasOwners != false
        else { return false }
        return world.workers.allSatisfy { $0.map { $0.isConnected && !isWorking($0) && !$0.isStopped } ?? false }
    }

    /// Whether any handler of a worker runs.
    private func isWorking(_ worker: MobiusTestKit.WorkerProcess<Program>) -> Bool {
        scripted(worker)?.runs.isEmpty == false
    }

    private var unfinished: String {
        let open = world.requests.filter { !$0.isAnswered }.map(\.request.key)
        let busy = world.workers.compactMap(\.self).filter(isWorking).map(\.name)
        return "pending effects \(history.pending), open requests \(open), busy workers \(busy)"
    }

    /// Runs until silent workers have reconnected, all lists have been sent, and the last acknowledgements have
    /// arrived.
    private func settle() {
        let start = world.now
        let timing = scenario.timing
        // A watcher's last model may wait for a flush behind another.
        let flushes = watchers.isEmpty ? .zero : world.slowestFlush * 2
        while world.now - start < timing.silence + timing.heartbeat * 4 + timing.resend + flushes, violations.isEmpty {
            world.step()
        }
    }

    private func checkTheEnd() {
        history.checkTheEnd()
        for coordinator in world.newest.compactMap(\.self) {
            for (id, model) in coordinator.models {
                guard let model = try? world.functions.encode(model, of: id, as: nil) else { continue }
                world.modelChecker.compare(id, model, upTo: history.next[id].map { $0 - 1 }, in: coordinator.name)
            }
            checkStored(coordinator)
            checkFacts(coordinator)
        }
        checkWatchers()
        for port in world.ports where !port.held.isEmpty {
            violated(.conduct, "\(port.process.name) still holds \(port.held.map(\.id))")
        }
    }

    /// Recovers the loops that are not in a process's memory, and compares their models with the events on disk.
    private func checkStored(_ process: CoordinatorProcess<Program>) {
        for id in scenario.loops
        where world.shard(of: id) == process.shard && process.host.loops[id] == nil && history.next[id] != nil
            && !process.driver.machine.hasEnded(id)
        {
            do {
                let outcome = try process.preparer.prepare(
                    id, from: world.disks[process.shard].content, trail: nil, crashes: CrashLedger())
                guard case .ready(let prepared) = outcome else { continue }
                world.resumed(prepared, in: process)
            } catch {
                violated(.nothingLost, "the loop \(id) left memory, and cannot be recovered: \(error)")
            }
        }
    }

    /// Compares the facts on disk, which commits and the computing in the background have written, with those of the models.
    private func checkFacts(_ process: CoordinatorProcess<Program>) {
        guard process.preparer.calls.hasFacts else { return }
        guard process.host.factProgress == .complete else {
            return violated(
                .facts, "\(process.name) has not computed all facts: \(process.host.factProgress, default: "-")")
        }
        let disk = world.disks[process.shard].content
        for id in scenario.loops where world.shard(of: id) == process.shard {
            do {
                guard let right = try process.preparer.facts(of: id, in: disk, nil, CrashLedger()) else { continue }
                let stored = try disk.factEntries(prefix: id.name, after: nil, limit: 1).first { $0.loop == id }
                let known = (stored?.facts ?? [:]).map { StoredFact(name: $0.key, key: $0.value) }
                guard Set(known) != Set(right.facts) else { continue }
                violated(.facts, "\(id) has other facts on disk than its model after event \(right.sequence)")
            } catch {
                violated(.facts, "the facts of \(id) cannot be read: \(error)")
            }
        }
    }

    /// Requests more effects than the capacity of all workers, with handlers that never end: each worker must get
    /// exactly its capacity.
    private func flood() {
        guard !scenario.flood.isEmpty else { return }
        isFlooding = true
        for request in scenario.flood { world.send(request) }
        var start = world.now
        let workers = { [self] in world.workers.map { $0.flatMap(scripted) } }
        for handlers in workers() { handlers?.mostRuns = 0 }
        while world.now - start < scenario.timing.heartbeat * 6, violations.isEmpty {
            if workers().allSatisfy({ $0?.mostRuns == $0?.capacity }) { return }
            // Without an owner of the loop's shard nothing is sent, and the next owner waits for workers that may hold effects first.
            if coordinator(of: .main)?.isAlive != true { start = world.now + scenario.timing.adoptionGrace }
            world.step()
        }
        // Some came late, when those before had run out of time.
        guard history.pending.count >= workers().reduce(0, { $0 + ($1?.capacity ?? 0) }) else { return }
        for worker in workers().compactMap(\.self) where worker.mostRuns < worker.capacity {
            violated(.credit, "\(worker.name) got \(worker.mostRuns) effects with a capacity of \(worker.capacity)")
        }
    }
}
