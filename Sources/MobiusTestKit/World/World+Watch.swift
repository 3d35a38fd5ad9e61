import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusWire

// Promise 5 with a time limit: lost messages are sent again.
extension World {
    /// Plans a check, now that no more messages are lost: all reports so far must arrive over connections that last.
    func expectReports() {
        for port in ports { expectReports(over: port) }
    }

    private func expectReports(over port: SimulatedWorkerIO<Program>) {
        let (worker, start) = (port.process, now)
        guard let witness = newest[port.shard], witness.isAlive, let link = port.link, link.isOpen,
            link.epoch == witness.epoch
        else { return }
        let waiting = history.unreported(by: worker.name).filter {
            shard(of: $0.effect.loop) == port.shard && witness.host.held[$0.effect.loop] == nil
        }
        guard !waiting.isEmpty else { return }
        plan(after: fleet.timing.resend + slack * 2 + slowestFlush) { world in
            guard witness.isAlive, !witness.isEnding, !witness.hasWaited(since: start), worker.isAlive,
                port.link === link
            else { return }
            for id in world.history.unreported(by: worker.name) where waiting.contains(id) {
                world.violated(.nothingLost, "the last report of \(id) has not arrived at \(witness.name)")
            }
        }
    }
}

// Promise 6: a coordinator that was never stopped detects losses and hangs in time.
extension World {
    /// The tolerance of a check: 1 s for delayed messages, and 2.5 heartbeats, because machines check at heartbeats.
    package var slack: Duration { .milliseconds(1000) + fleet.timing.heartbeat * 5 / 2 }

    /// Plans checks that the coordinators detect a killed worker.
    func expectLoss(of worker: WorkerProcess<Program>) {
        for port in worker.ports { expectLoss(of: worker, at: port) }
    }

    private func expectLoss(of worker: WorkerProcess<Program>, at port: SimulatedWorkerIO<Program>) {
        guard let witness = newest[port.shard], witness.isAlive, port.link?.epoch == witness.epoch,
            history.lives[witness.epoch]?.joined.contains(worker.incarnation) == true
        else { return }
        let killed = now
        plan(after: fleet.timing.deadAfter + slack) { world in
            guard witness.isAlive, !witness.isPaused, !witness.isEnding, witness.lastPause ?? killed <= killed else {
                return
            }
            guard world.history.lives[witness.epoch]?.gone.contains(worker.incarnation) == false else { return }
            world.violated(
                .noticed, "\(witness.name) has not detected that \(worker.name) was killed at \(killed.summary)")
        }
    }
}

extension CoordinatorProcess {
    /// Whether it has waited at its gate since, so that it was late for a reason.
    package func hasWaited(since start: Moment) -> Bool { isAtGate || lease != nil && lastPause ?? start > start }

    /// Plans checks that timers fire in time: messages may come first for 500 ms.
    func watchTimers(of records: [JournalRecord]) {
        let start = world.now
        for case .event(let event) in records {
            for due in event.dues {
                let id = EffectID(loop: event.loop, sequence: event.sequence, index: due.index)
                let wait = max(.zero, due.due - calendar)
                world.plan(after: wait + .milliseconds(500) + world.fleet.timing.heartbeat + world.slowestFlush) {
                    [self] world in
                    guard !world.history.hasJumped, mayFire(id, since: start),
                        world.history.lives[epoch]?.timers[id] == nil
                    else { return }
                    world.violated(.noticed, "the timer \(id), due \(due.due.milliseconds), has not fired")
                }
            }
        }
    }

    /// Plans a check that a repeating timer that has just fired fires again in time if it measures what elapses.
    ///
    /// It must do so wherever the calendar jumps meanwhile, or jumped before; by a second clocks may drift.
    func watchNext(of id: EffectID) {
        guard case .timer(let schedule) = world.history.requested[id]?.plan.destination, let pause = schedule.pause
        else { return }
        let fired = world.now
        let slack = .milliseconds(1500) + world.fleet.timing.heartbeat + world.slowestFlush
        world.plan(after: pause + slack) { [self] world in
            guard mayFire(id, since: fired), world.history.lives[epoch]?.timers[id] == fired else { return }
            world.violated(.noticed, "the timer \(id) has not fired again since \(fired.summary)")
        }
    }

    /// Whether nothing keeps a timer from firing, and nothing has kept it since.
    private func mayFire(_ id: EffectID, since start: Moment) -> Bool {
        isAlive && !isPaused && !isEnding && lastPause ?? start <= start
            && world.history.lives[epoch]?.ends[id.loop] == nil && world.history.endings[id] == nil
            && host.held[id.loop] == nil && driver.machine.isUnderWay(id)
    }

    /// Plans a check that the coordinator detects a hung handler at its time-out.
    func watch(_ order: EffectOrder) {
        guard let timeout = world.history.requested[order.id.effect]?.plan.policy.timeouts.startToClose else { return }
        watch(order, sent: world.now, after: timeout + world.fleet.timing.heartbeat + world.slowestFlush * 2)
    }

    private func watch(_ order: EffectOrder, sent: Moment, after limit: Duration) {
        world.plan(after: limit) { [self] world in
            guard isAlive, !isPaused, !isEnding, lastPause ?? sent <= sent, let life = world.history.lives[epoch],
                let run = world.history.runs[order.id], run.end == nil, !run.isCancelled,
                life.sent[order.id.effect] == order.id.attempt, !life.dropped.contains(order.id),
                // The handler is cancelled when that is on disk, which a database that is out of reach puts off.
                !life.timedOut.contains(order.id),
                life.failed[order.id.effect] == nil, run.worker.map({ !life.gone.contains($0) }) ?? false
            else { return }
            // Deadlines wait for the disk when too much does.
            guard lease?.reachesJournal ?? true else {
                let pause = world.fleet.timing.heartbeat + world.slowestFlush * 2
                lease?.whenReachable { [self] in watch(order, sent: sent, after: pause) }
                return
            }
            world.violated(.noticed, "\(order.id) has run since \(sent.summary), which is longer than its time-out")
        }
    }
}
