import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusWire

// Skips hours and days in which only heartbeats would be exchanged.
extension World {
    /// Skips heartbeats that would change nothing, until shortly before the next possible occurrence.
    ///
    /// At the end of the skipped time, both sides receive their last PULSE or HEARTBEAT again. The contents of those
    /// that were skipped would have been the same.
    ///
    /// - Returns: whether any time was skipped.
    func skipIdleTime(until end: Moment) -> Bool {
        let heartbeat = fleet.timing.heartbeat
        guard stage != nil, !isFaulty, now - lastActivity > heartbeat * 5, let coordinator, isIdle(coordinator) else {
            return false
        }
        let bounds = [end, queue.next, stage?.nextWake, coordinator.driver.machine.nextDuty].compactMap(\.self)
        guard let next = bounds.min() else { return false }
        let target = next + heartbeat * -2
        guard target - now > heartbeat * 10, !history.pending.contains(where: hasProgressTimeout) else { return false }
        now = target
        coordinator.readClock()
        for worker in workers {
            guard let worker, let port = worker.ports.first, let link = port.link, let pulse = link.pulse,
                let beat = link.heartbeat
            else { continue }
            worker.arrive(Delivery(bytes: pulse, moment: now, isCut: false), at: port)
            coordinator.arrive(Delivery(bytes: beat, moment: now, isCut: false), from: Peer(link.number))
        }
        return true
    }

    private func isIdle(_ coordinator: CoordinatorProcess<Program>) -> Bool {
        guard replacedCoordinators.isEmpty, partitioned.isEmpty, coordinator.isAlive, !coordinator.isStopped,
            !coordinator.isEnding,
            coordinator.driver.machine.isAtRest, coordinator.driver.machine.workerCount == workers.count
        else { return false }
        return workers.allSatisfy { worker in
            guard let worker, worker.isAlive, !worker.isStopped, worker.isAtRest, let link = worker.ports.first?.link
            else {
                return false
            }
            return link.isOpen && link.muted.isEmpty && link.epoch == coordinator.epoch && link.pulse != nil
                && link.heartbeat != nil
        }
    }

    /// Whether the effect has a progress time-out, so that heartbeats, which contain its last progress, matter.
    private func hasProgressTimeout(_ id: EffectID) -> Bool {
        history.requested[id]?.plan.policy.timeouts.progress != nil
    }
}
