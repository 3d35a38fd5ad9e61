import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusWire

// What a fleet waits for, and what its end must be like.
extension World {
    /// Whether everything that was sent is on disk.
    var isAnswered: Bool { openRequests == 0 }

    /// Whether nothing is left to do but what goes on for ever.
    var isAtRest: Bool {
        guard isAnswered, let coordinator, coordinator.isAlive, !coordinator.isEnding, !coordinator.isStopped else {
            return false
        }
        guard scenario.loops.allSatisfy({ oracle.models[$0] != nil }), stage?.isBusy != true else { return false }
        return chronicle.pendingCount == 0 || chronicle.pending.allSatisfy(goesOnForEver)
    }

    private func goesOnForEver(_ id: EffectID) -> Bool {
        if case .timer(let schedule) = chronicle.asked[id]?.plan.destination { return schedule.repeats }
        guard let attempt = chronicle.attempts[id]?.last else { return false }
        return stage?.isEndless(attempt) ?? false
    }

    /// What is not done, in sentences.
    var unfinishedBusiness: String {
        var sentences: [String] = []
        let open = requests.filter { !$0.isAnswered }.map(\.request.key)
        if !open.isEmpty { sentences.append("Not in the journal yet: \(open.joined(separator: ", ")).") }
        let pending = chronicle.pending
        if !pending.isEmpty {
            let statuses = coordinator?.statuses ?? [:]
            let named = pending.prefix(5).map { id in
                let asked = chronicle.asked[id]
                let effect = asked.flatMap { try? effects.decode($0.effect) }.map { "\($0)" } ?? "an effect"
                let phase = statuses[id]?.phase.rawValue ?? "waiting"
                guard case .pool(let pool) = asked?.plan.destination else { return "\(effect) (\(id), \(phase))" }
                let isServed = scenario.places.contains { $0.pools.contains(pool) }
                return "\(effect) (\(id), \(phase), for the pool \(pool)\(isServed ? "" : ", which nobody serves"))"
            }
            let more = pending.count - named.count
            sentences.append(
                "Effects that have not ended: \(named.joined(separator: "; "))\(more > 0 ? ", and \(more) more" : "").")
        }
        if disk.isFull { sentences.append("The disk is full.") }
        return sentences.isEmpty ? "Nothing is left to do." : sentences.joined(separator: " ")
    }

    /// Everything goes on that was cut, stopped or full, and nothing new goes wrong.
    func recover() {
        losing = []
        plannedEnd = nil
        disk.isFull = false
        calm()
    }

    /// After this, silent workers have connected again, those that are gone were noticed, and all was said again.
    var timeToSettle: Duration {
        let timing = scenario.timing
        return timing.deadAfter * 2 + timing.silence + timing.resend
    }

    /// What can only be said of a fleet that is well.
    func checkPromises() {
        chronicle.checkTheEnd(isOpen: true)
        guard let coordinator, coordinator.isAlive else { return }
        for id in chronicle.pending where !coordinator.driver.machine.isUnderWay(id) {
            complain(.nothingLost, "\(id) was asked for and has not ended, and \(coordinator.name) knows nothing of it")
        }
        for (id, model) in coordinator.models {
            // What is on its way to the disk now cannot be compared.
            guard let last = chronicle.next[id].map({ $0 - 1 }),
                coordinator.driver.machine.snapshotState(of: id)?.sequence == last,
                let model = try? models.encode(model)
            else { continue }
            oracle.compare(id, model, upTo: last, in: coordinator.name)
        }
    }

    // MARK: Workers

    /// The worker whose handler runs for that effect.
    func worker(running id: EffectID) -> WorkerProcess<Program>? {
        guard let attempt = chronicle.attempts[id]?.last, let run = chronicle.runs[attempt], run.end == nil else {
            return nil
        }
        return workers.compactMap(\.self).first { $0.name == run.process }
    }

    func freeze(_ worker: WorkerProcess<Program>) {
        guard worker.isAlive, !worker.isStopped else { return }
        tell(worker.name, "is stopped")
        worker.stop()
    }

    func thaw(_ worker: WorkerProcess<Program>) {
        guard worker.isAlive, worker.isStopped else { return }
        tell(worker.name, "goes on")
        worker.wake()
    }

    func drain(_ worker: WorkerProcess<Program>) {
        tell(worker.name, "is told to leave")
        worker.drain(by: now + .seconds(30))
    }

    func fillDisk(_ isFull: Bool) {
        tell("disk", isFull ? "is full" : "has room again")
        disk.isFull = isFull
    }
}
