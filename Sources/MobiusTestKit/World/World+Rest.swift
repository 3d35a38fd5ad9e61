package import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusWire

// The conditions that a fleet waits for, and the checks at its end.
extension World {
    /// The model of a loop that results from its events on disk.
    package func model(of loop: LoopID) -> Program.Model? { modelChecker.model(of: loop) }

    /// The model of a loop that would begin now.
    func firstModel(of loop: LoopID) -> Program.Model {
        functions.first(of: loop, in: LoopContext(loop: loop.name, milliseconds: wall.milliseconds)).model
    }

    /// Whether every event that was sent from outside is on disk.
    package var isAnswered: Bool { openRequests == 0 }

    /// Whether only repeating timers, endless handlers and what waits for the ends of loops are left.
    var isAtRest: Bool {
        guard isAnswered, let coordinator, coordinator.isAlive, !coordinator.isEnding, !coordinator.isStopped else {
            return false
        }
        guard fleet.loops.allSatisfy({ modelChecker.model(of: $0) != nil }), stage?.isBusy != true else { return false }
        return history.pendingCount == 0 || history.pending.allSatisfy(isEndless)
    }

    private func isEndless(_ id: EffectID) -> Bool {
        guard let plan = history.requested[id]?.plan else { return false }
        if case .timer(let schedule) = plan.destination { return schedule.repeats }
        if plan.waitsForEnd { return !history.isOver(id) }
        guard let attempt = history.attempts[id]?.last else { return false }
        return stage?.isEndless(attempt) ?? false
    }

    /// The unfinished requests and effects, in sentences.
    var unfinishedBusiness: String {
        var sentences: [String] = []
        let open = requests.filter { !$0.isAnswered }.map(\.request.key)
        if !open.isEmpty { sentences.append("Not in the journal yet: \(open.joined(separator: ", ")).") }
        let pending = history.pending
        if !pending.isEmpty {
            let statuses = coordinator?.statuses ?? [:]
            let named = pending.prefix(5).map { id in
                let asked = history.requested[id]
                let effect =
                    asked.flatMap { try? functions.effect($0.effect, of: id.loop) }.map { "\($0)" } ?? "an effect"
                let phase = statuses[id]?.phase.rawValue ?? "waiting"
                guard case .pool(let pool) = asked?.plan.destination else { return "\(effect) (\(id), \(phase))" }
                let isServed = fleet.places.contains { $0.pools.contains(pool) }
                return "\(effect) (\(id), \(phase), for the pool \(pool)\(isServed ? "" : ", which has no workers"))"
            }
            let more = pending.count - named.count
            sentences.append(
                "Effects that have not ended: \(named.joined(separator: "; "))\(more > 0 ? ", and \(more) more" : "").")
        }
        if disks[0].isFull { sentences.append("The disk is full.") }
        return sentences.isEmpty ? "Nothing is left to do." : sentences.joined(separator: " ")
    }

    /// Repairs all faults and injects no more.
    func recover() {
        messagesToDrop = []
        crashPoint = nil
        disks[0].isFull = false
        stopFaults()
    }

    /// The time in which silent workers reconnect, lost workers are detected, and lost messages are sent again.
    var timeToSettle: Duration {
        let timing = fleet.timing
        return timing.deadAfter * 2 + timing.silence + timing.resend
    }

    /// Checks that the coordinator tracks all pending effects and has the models that result from the journal.
    func checkPromises() {
        history.checkTheEnd(isOpen: true)
        guard let coordinator, coordinator.isAlive else { return }
        for id in history.pending where !coordinator.driver.machine.isUnderWay(id) {
            violated(.nothingLost, "\(id) is pending, but \(coordinator.name) does not track it")
        }
        for (id, model) in coordinator.models {
            // A model with events that are not on disk yet cannot be compared.
            guard let last = history.next[id].map({ $0 - 1 }),
                coordinator.driver.machine.snapshotState(of: id)?.sequence == last,
                let model = try? functions.encode(model, of: id, as: nil)
            else { continue }
            modelChecker.compare(id, model, upTo: last, in: coordinator.name)
        }
        for fault in purity?.faults() ?? [] { violated(.appliedOnce, fault) }
    }

    // MARK: Workers

    /// The worker that runs the effect's handler.
    func worker(running id: EffectID) -> WorkerProcess<Program>? {
        guard let attempt = history.attempts[id]?.last, let run = history.runs[attempt], run.end == nil else {
            return nil
        }
        return workers.compactMap(\.self).first { $0.name == run.process }
    }

    func freeze(_ worker: WorkerProcess<Program>) {
        guard worker.isAlive, !worker.isStopped else { return }
        log(worker.name, "is stopped")
        worker.stop()
    }

    func thaw(_ worker: WorkerProcess<Program>) {
        guard worker.isAlive, worker.isStopped else { return }
        log(worker.name, "is continued")
        worker.wake()
    }

    func drain(_ worker: WorkerProcess<Program>) {
        log(worker.name, "is asked to drain")
        worker.drain(by: now + .seconds(30))
    }

    func fillDisk(_ isFull: Bool) {
        log("disk", isFull ? "is full" : "has room again")
        disks[0].isFull = isFull
    }
}
