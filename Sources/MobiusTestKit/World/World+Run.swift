package import MobiusCore
import MobiusEngine
import MobiusProgram
package import MobiusWire

// A whole run: trouble, calm, farewell, and the last checks.
extension World {
    /// Runs to the end, or to the first broken promise.
    ///
    /// - Returns: what was broken; nothing when all is well.
    package func run() -> [Complaint] {
        defer { agenda = Agenda() }
        while steps < scenario.faults.steps, complaints.isEmpty { step() }
        calm()
        let last = now
        guard becomes("answered", { requests.allSatisfy { $0.isAnswered } }) else { return complaints }
        while now - last < scenario.timing.deadAfter, complaints.isEmpty { step() }
        isClosing = true
        for request in scenario.farewell { send(request) }
        guard becomes("quiet", { isQuiet }) else { return complaints }
        settle()
        checkTheEnd()
        if complaints.isEmpty { flood() }
        return complaints
    }

    /// The model of a loop, made of the events on disk.
    package func model(of loop: LoopID) -> Program.Model? { oracle.models[loop] }

    /// Whether that comes true in a time that leaves room for all time-outs and pauses one after the other.
    private func becomes(_ what: String, _ isSo: () -> Bool) -> Bool {
        let start = now
        let patience = scenario.timing.deadAfter * 60
        while !isSo(), complaints.isEmpty {
            if now - start > patience || steps > 400_000 {
                complain(.quiet, "not everything is \(what) \(now - start) after the last fault: \(unfinished)")
                return false
            }
            step()
        }
        return complaints.isEmpty
    }

    private var isQuiet: Bool {
        guard chronicle.pendingCount == 0, requests.allSatisfy({ $0.isAnswered }) else { return false }
        guard let coordinator, coordinator.isAlive, !coordinator.isEnding else { return false }
        return workers.allSatisfy { $0.map { $0.link != nil && !$0.isWorking && !$0.isStopped } ?? false }
    }

    private var unfinished: String {
        let open = requests.filter { !$0.isAnswered }.map(\.request.key)
        let busy = workers.compactMap(\.self).filter(\.isWorking).map(\.name)
        return "effects \(chronicle.pending), requests \(open), workers at work \(busy)"
    }

    /// Silent workers have connected again, everybody has sent lists, and the last acknowledgements have arrived.
    private func settle() {
        let start = now
        let timing = scenario.timing
        while now - start < timing.silence + timing.heartbeat * 4 + timing.resend, complaints.isEmpty { step() }
    }

    private func checkTheEnd() {
        chronicle.checkTheEnd()
        guard let coordinator else { return }
        for (id, model) in coordinator.models {
            guard let model = try? models.encode(model) else { continue }
            oracle.compare(id, model, upTo: chronicle.next[id].map { $0 - 1 }, in: coordinator.name)
        }
        for worker in workers.compactMap(\.self) where !worker.held.isEmpty {
            complain(.conduct, "\(worker.name) still holds \(worker.held.map(\.id))")
        }
    }

    /// Asks for more than all workers can take at once, of handlers that never answer: each gets exactly what it can
    /// take.
    private func flood() {
        guard !scenario.flood.isEmpty else { return }
        isFlooding = true
        for request in scenario.flood { send(request) }
        let start = now
        for worker in workers { worker?.mostRuns = 0 }
        while now - start < scenario.timing.heartbeat * 6, complaints.isEmpty {
            if workers.allSatisfy({ $0?.mostRuns == $0?.capacity }) { return }
            step()
        }
        for worker in workers.compactMap(\.self) where worker.mostRuns < worker.capacity {
            complain(.credit, "\(worker.name) got \(worker.mostRuns) of \(worker.capacity) effects")
        }
    }
}
