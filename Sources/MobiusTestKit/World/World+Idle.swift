import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusWire

// Hours and days in which nothing happens but heartbeats.
extension World {
    /// Passes over heartbeats that would change nothing, up to shortly before something else may happen.
    ///
    /// At the end of that time both sides hear the sign of life that they heard last, as they would have: it says the same.
    ///
    /// - Returns: whether time passed.
    func passOver(until end: Moment) -> Bool {
        let heartbeat = scenario.timing.heartbeat
        guard stage != nil, !isFaulty, now - lastStir > heartbeat * 5, let coordinator, isIdle(coordinator) else {
            return false
        }
        let bounds = [end, agenda.next, stage?.nextWake, coordinator.driver.machine.nextDuty].compactMap(\.self)
        guard let next = bounds.min() else { return false }
        let target = next + heartbeat * -2
        guard target - now > heartbeat * 10, !chronicle.pending.contains(where: showsProgress) else { return false }
        now = target
        coordinator.lookAtClock()
        for worker in workers {
            guard let worker, let link = worker.link, let pulse = link.pulse, let beat = link.heartbeat else {
                continue
            }
            worker.arrive(Delivery(bytes: pulse, moment: now, isCut: false))
            coordinator.arrive(Delivery(bytes: beat, moment: now, isCut: false), from: Peer(link.number))
        }
        return true
    }

    private func isIdle(_ coordinator: CoordinatorProcess<Program>) -> Bool {
        guard zombie == nil, partitioned.isEmpty, coordinator.isAlive, !coordinator.isStopped, !coordinator.isEnding,
            coordinator.driver.machine.isAtRest, coordinator.driver.machine.workerCount == workers.count
        else { return false }
        return workers.allSatisfy { worker in
            guard let worker, worker.isAlive, !worker.isStopped, worker.isAtRest, let link = worker.link else {
                return false
            }
            return link.isOpen && link.muted.isEmpty && link.epoch == coordinator.epoch && link.pulse != nil
                && link.heartbeat != nil
        }
    }

    /// Heartbeats say how long ago the effect showed progress, so none may be left out.
    private func showsProgress(_ id: EffectID) -> Bool {
        chronicle.asked[id]?.plan.policy.timeouts.progress != nil
    }
}
