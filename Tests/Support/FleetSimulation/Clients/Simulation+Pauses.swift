import MobiusDriver
import MobiusEngine
import MobiusProgram
import MobiusTestKit
import MobiusWire

/// A pool of a shard that an operator pauses, and resumes a while later.
struct SimulatedPause: Hashable {
    let pool: String
    let shard: Int
    /// Distinguishes those of one pool.
    let request: RequestID
}

// Operators who pause pools, and resume them.
extension Simulation {
    func simulatePauses() {
        guard !isClosing else { return }
        plan(after: chance.milliseconds(100...2000)) { $0.simulatePauses() }
        let pool = chance.pick(Set(scenario.places.flatMap(\.pools)).sorted())
        let shard = chance.number(0...world.newest.count - 1)
        guard let coordinator = world.newest[shard], coordinator.isAlive,
            !pauses.contains(where: { $0.pool == pool && $0.shard == shard }),
            // One that it has not answered may still resume it.
            !resuming.values.contains(where: { $0.pause.pool == pool && $0.epoch == coordinator.epoch })
        else { return }
        let pause = SimulatedPause(pool: pool, shard: shard, request: newRequest())
        pauses.insert(pause)
        pausing[pause.request] = pause
        operatorRequests.insert(pause.request)
        trace("operator", "wants to pause \(pool) of shard \(shard)")
        coordinator.handle(.pausePool(pool, why: History.operatorsReason), as: pause.request)
        plan(after: chance.milliseconds(20...1500)) { $0.resume(pause) }
    }

    /// Asks for it until it is so.
    private func resume(_ pause: SimulatedPause) {
        guard pauses.contains(pause) else { return }
        plan(after: chance.milliseconds(20...400)) { $0.resume(pause) }
        pausing[pause.request] = nil
        history.resumes(pause.pool, shard: pause.shard)
        guard let coordinator = world.newest[pause.shard], coordinator.isAlive else { return }
        let request = newRequest()
        resuming[request] = (pause, coordinator.epoch)
        operatorRequests.insert(request)
        coordinator.handle(.resumePool(pause.pool), as: request)
    }

    /// Handles the answer to a pause, or to its end.
    ///
    /// - Returns: whether the request was one.
    func handlePauseAnswer(_ request: RequestID, _ answer: ClientAnswer) -> Bool {
        let isDone = if case .done = answer { true } else { false }
        if let pause = pausing.removeValue(forKey: request) {
            trace("operator", "pause \(pause.pool) of shard \(pause.shard): \(answer.command)")
            if isDone { history.paused(pause.pool, shard: pause.shard) }
            return true
        }
        guard let (pause, _) = resuming.removeValue(forKey: request) else { return false }
        trace("operator", "resume \(pause.pool) of shard \(pause.shard): \(answer.command)")
        if isDone { pauses.remove(pause) }
        return true
    }
}
