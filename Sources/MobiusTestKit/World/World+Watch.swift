import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusWire

// Promise 5, where time counts: what was lost on its way is sent again.
extension World {
    /// Nothing is lost from now on: over connections that hold, all that handlers said so far arrives soon.
    func expectReports() {
        guard let witness = coordinator, witness.isAlive else { return }
        for worker in workers.compactMap(\.self) {
            for run in worker.waitingRuns { expectRoom(for: run, in: worker) }
        }
        for worker in workers {
            guard let worker, let link = worker.link, link.isOpen, link.epoch == witness.epoch else { continue }
            let waiting = chronicle.unreported(by: worker.name)
            guard !waiting.isEmpty else { continue }
            plan(after: scenario.timing.resend + slack * 2 + slowestFlush) { world in
                guard witness.isAlive, !witness.isEnding, worker.isAlive, worker.link === link else { return }
                for id in world.chronicle.unreported(by: worker.name) where waiting.contains(id) {
                    world.complain(.nothingLost, "what \(id) said last has not come to \(witness.name)")
                }
            }
        }
    }
}

extension World {
    /// Nothing is lost from now on: over a connection that holds, a handler that waits for acknowledgements is told of them soon.
    func expectRoom(for run: HandlerRun<Program>, in worker: WorkerProcess<Program>) {
        guard let witness = coordinator, witness.isAlive, let link = worker.link, link.isOpen,
            link.epoch == witness.epoch
        else { return }
        let wait = run.waits
        plan(after: scenario.timing.resend + slack * 2 + slowestFlush) { world in
            guard witness.isAlive, !witness.isEnding, worker.isAlive, worker.link === link, run.waitsForRoom,
                run.waits == wait, !run.isOver
            else { return }
            world.complain(.nothingLost, "\(run.id) still waits in \(worker.name) until its events are acknowledged")
        }
    }
}

// Promise 6: what is lost or hangs is noticed in time, by a coordinator that was awake all the while.
extension World {
    /// How late a check may come: a message that was long under way, and the heartbeats at which machines look.
    fileprivate var slack: Duration { .milliseconds(1000) + scenario.timing.heartbeat * 5 / 2 }

    /// A killed worker is noticed.
    func expectLoss(of worker: WorkerProcess<Program>) {
        guard let witness = coordinator, witness.isAlive, worker.link?.epoch == witness.epoch,
            chronicle.lives[witness.epoch]?.joined.contains(worker.incarnation) == true
        else { return }
        let killed = now
        plan(after: scenario.timing.deadAfter + slack) { world in
            guard witness.isAlive, !witness.isStopped, !witness.isEnding, witness.lastPause ?? killed <= killed else {
                return
            }
            guard world.chronicle.lives[witness.epoch]?.gone.contains(worker.incarnation) == false else { return }
            world.complain(
                .noticed, "\(witness.name) has not noticed that \(worker.name) is gone since \(killed.sketch)")
        }
    }
}

extension CoordinatorProcess {
    /// A handler that hangs is noticed at its timeout.
    func watch(_ order: EffectOrder) {
        guard let timeout = world.chronicle.asked[order.id.effect]?.plan.policy.timeouts.startToClose else { return }
        let sent = world.now
        // It is told so once the reason is on disk.
        let limit = timeout + world.scenario.timing.heartbeat + world.slowestFlush
        world.plan(after: limit) { [self] world in
            guard isAlive, !isStopped, !isEnding, lastPause ?? sent <= sent, let life = world.chronicle.lives[epoch],
                let run = world.chronicle.runs[order.id], run.end == nil, !run.isCancelled,
                life.sent[order.id.effect] == order.id.attempt, !life.dropped.contains(order.id),
                life.failed[order.id.effect] == nil, run.worker.map({ !life.gone.contains($0) }) ?? false
            else { return }
            world.complain(.noticed, "\(order.id) runs since \(sent.sketch), and its time is over")
        }
    }
}
