package import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusProgram
package import MobiusWire

// A whole run: steps with faults, steps without faults, the final requests, and the final checks.
extension World {
    /// Runs to the end, or to the first broken promise.
    ///
    /// - Returns: the broken promises; empty if there are none.
    package func run() -> [Violation] {
        defer { queue = EventQueue() }
        while steps < scenario.faults.steps, violations.isEmpty { step() }
        stopFaults()
        let last = now
        guard waitFor("an answer to all requests", { requests.allSatisfy { $0.isAnswered } }) else {
            return violations
        }
        while now - last < scenario.timing.deadAfter, violations.isEmpty { step() }
        isClosing = true
        if let jump = scenario.lateJump { jumpCalendar(by: jump) }
        for request in scenario.finalRequests { send(request) }
        guard waitFor("the end of all effects", { isQuiet }), waitForShares() else { return violations }
        settle()
        checkTheEnd()
        if violations.isEmpty { flood() }
        return violations
    }

    /// The model of a loop that results from its events on disk.
    package func model(of loop: LoopID) -> Program.Model? { modelChecker.models[loop] }

    /// The events of the leases of the cluster's coordinators.
    package var clusterCounts: ClusterCounts { cluster?.counts ?? ClusterCounts() }

    /// Returns the number of times that a loop has begun.
    package func begins(of loop: LoopID) -> Int { history.begins[loop] ?? 0 }

    /// The models of all loops that result from their events on disk.
    package var finalModels: [LoopID: Program.Model] { modelChecker.models }

    /// Runs until the condition is true, for at most 60 times `deadAfter`, which covers all time-outs and pauses in
    /// sequence.
    ///
    /// - Returns: whether the condition became true and no promise was broken.
    private func waitFor(_ what: String, for limit: Duration? = nil, _ isReached: () -> Bool) -> Bool {
        let start = now
        let patience = limit ?? scenario.timing.deadAfter * 60
        while !isReached(), violations.isEmpty {
            if now - start > patience || steps > 400_000 {
                violated(.quiet, "\(what) is still missing after a wait of \(now - start): \(unfinished)")
                return false
            }
            step()
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

    private var isQuiet: Bool {
        guard history.pendingCount == 0, requests.allSatisfy({ $0.isAnswered }), operations.isEmpty else {
            return false
        }
        guard newest.allSatisfy({ $0.map { $0.isAlive && !$0.isEnding && $0.host.held.isEmpty } ?? false }),
            cluster?.hasOwners != false
        else { return false }
        return workers.allSatisfy { $0.map { $0.isConnected && !$0.isWorking && !$0.isStopped } ?? false }
    }

    private var unfinished: String {
        let open = requests.filter { !$0.isAnswered }.map(\.request.key)
        let busy = workers.compactMap(\.self).filter(\.isWorking).map(\.name)
        return "pending effects \(history.pending), open requests \(open), busy workers \(busy)"
    }

    /// Runs until silent workers have reconnected, all lists have been sent, and the last acknowledgements have
    /// arrived.
    private func settle() {
        let start = now
        let timing = scenario.timing
        // A watcher's last model may wait for a flush behind another.
        let flushes = watchers.isEmpty ? .zero : slowestFlush * 2
        while now - start < timing.silence + timing.heartbeat * 4 + timing.resend + flushes, violations.isEmpty {
            step()
        }
    }

    private func checkTheEnd() {
        history.checkTheEnd()
        for coordinator in newest.compactMap(\.self) {
            for (id, model) in coordinator.models {
                guard let model = try? models.encode(model) else { continue }
                modelChecker.compare(id, model, upTo: history.next[id].map { $0 - 1 }, in: coordinator.name)
            }
            coordinator.checkStored()
        }
        checkWatchers()
        for port in ports where !port.held.isEmpty {
            violated(.conduct, "\(port.process.name) still holds \(port.held.map(\.id))")
        }
    }

    /// Requests more effects than the capacity of all workers, with handlers that never end: each worker must get
    /// exactly its capacity.
    private func flood() {
        guard !scenario.flood.isEmpty else { return }
        isFlooding = true
        for request in scenario.flood { send(request) }
        let start = now
        for worker in workers { worker?.mostRuns = 0 }
        while now - start < scenario.timing.heartbeat * 6, violations.isEmpty {
            if workers.allSatisfy({ $0?.mostRuns == $0?.capacity }) { return }
            step()
        }
        for worker in workers.compactMap(\.self) where worker.mostRuns < worker.capacity {
            violated(.credit, "\(worker.name) got \(worker.mostRuns) effects with a capacity of \(worker.capacity)")
        }
    }
}
