import MobiusCore
package import MobiusDriver
import MobiusEngine
import MobiusJournal

// Starts and ends of processes.
extension World {
    package func startCoordinator() {
        guard coordinator == nil else { return }
        do {
            try start(epoch: try disks[0].open(), nil)
        } catch is EndedAtStart {
            plan(after: chance.milliseconds(1...100)) { $0.startCoordinator() }
        } catch {
            failed(error)
        }
    }

    /// Starts a coordinator under the epoch that a lease began.
    package func startCoordinator(epoch: UInt64, _ lease: any CoordinatorLease<Program>) {
        let shard = Int(lease.shard)
        if let old = newest[shard] { replacedCoordinators.insert(old, at: 0) }
        newest[shard] = nil
        do {
            try start(epoch: epoch, lease)
        } catch {
            failed(error)
        }
    }

    /// Records the reason why a coordinator did not start.
    private func failed(_ error: any Error) {
        if let error = error as? CoordinatorError, error.code == .program { return fail(error.message) }
        violated(.nothingLost, "a coordinator cannot recover from the journal: \(error)")
    }

    private func start(epoch: UInt64, _ lease: (any CoordinatorLease<Program>)?) throws {
        log("coordinator#\(epoch)", "starts")
        let process = try CoordinatorProcess(self, epoch: epoch, lease: lease)
        lease?.process = process
        process.onFault = { [unowned self, unowned process] in applyFault(process, $0) }
        newest[process.shard] = process
        // It may be killed at a step of its start.
        if !process.isAlive { removeCoordinator(process) }
    }

    /// All coordinator processes that run, the newest first.
    package var coordinators: [CoordinatorProcess<Program>] {
        newest.compactMap(\.self) + replacedCoordinators
    }

    /// The process that runs under an epoch.
    package func coordinator(of epoch: UInt64) -> CoordinatorProcess<Program>? {
        coordinators.first { $0.epoch == epoch }
    }

    /// Checks a loop that a process has recovered from the journal.
    package func resumed(_ prepared: PreparedLoop<Program>, in process: CoordinatorProcess<Program>) {
        callers.run(nil) { check(prepared, in: process) }
    }

    private func check(_ prepared: PreparedLoop<Program>, in process: CoordinatorProcess<Program>) {
        // One that was replaced may take up what it had read before.
        guard process.epoch == disks[process.shard].epoch,
            let model = try? functions.encode(prepared.loop.model, of: prepared.loop.id, as: nil)
        else {
            return
        }
        let id = prepared.loop.id
        guard case .recover(let resumed) = prepared.input else {
            return modelChecker.compare(id, model, upTo: nil, in: process.name)
        }
        modelChecker.compare(id, model, upTo: resumed.lastSequence, in: process.name)
        history.resumed(id, resumed.pending.map(\.0), epoch: process.epoch, at: now)
    }

    /// Kills a coordinator process; another one starts later.
    package func crash(_ process: CoordinatorProcess<Program>) {
        guard process.isAlive else { return }
        if let lease = process.lease { return lease.kill() }
        remove(process)
    }

    /// Ends a coordinator process.
    package func remove(_ process: CoordinatorProcess<Program>) {
        if process.isAlive {
            log(process.name, "is gone")
            process.die()
        }
        removeCoordinator(process)
    }

    /// Handles the orderly end of a coordinator process.
    func ended(_ process: CoordinatorProcess<Program>) {
        log(process.name, "has ended")
        if !process.isEnding { violated(.conduct, "\(process.name) ended without a stop request") }
        process.die()
        if let lease = process.lease { return lease.ended() }
        removeCoordinator(process)
    }

    private func removeCoordinator(_ process: CoordinatorProcess<Program>) {
        for port in ports where port.link?.epoch == process.epoch { disconnect(port) }
        for (number, link) in links where link.epoch == process.epoch { links[number] = nil }
        replacedCoordinators.removeAll { $0 === process }
        director?.removed(process)
        guard newest[process.shard] === process else { return }
        newest[process.shard] = nil
        guard process.lease == nil else { return }  // the lease decides which process is the next one
        let silence = Int(fleet.timing.silence.microseconds)
        let isLong = isFaulty && !fleet.faults.sparesWorkers && chance.percent(20)
        let pause = isLong ? silence / 2...silence * 3 : 1000...silence / 2
        plan(after: chance.microseconds(pause)) { $0.startCoordinator() }
    }

    func startWorker(_ place: Int) {
        guard workers[place] == nil else { return }
        processCounts[place] += 1
        let process = WorkerProcess(self, place: place, life: processCounts[place])
        process.onFault = { [unowned self, unowned process] in applyFault(process, $0) }
        workers[place] = process
        log(process.name, "starts")
        process.begin()
    }

    /// Kills a worker process and its handlers.
    func kill(_ process: WorkerProcess<Program>) {
        guard process.isAlive else { return }
        log(process.name, "is killed")
        process.die()
        expectLoss(of: process)
        replace(process)
    }

    /// Handles the exit of a worker process.
    func left(_ process: WorkerProcess<Program>) {
        process.die()
        replace(process)
    }

    private func replace(_ process: WorkerProcess<Program>) {
        history.dead.insert(process.name)
        for port in process.ports { cut(port.link) }
        workers[process.place] = nil
        plan(after: chance.milliseconds(1...400)) { $0.startWorker(process.place) }
    }

    // MARK: Faults

    package func applyFault(_ process: CoordinatorProcess<Program>, _ fault: Fault) {
        switch fault {
        case .killed: crash(process)
        case .stopped(let pause) where process.lease != nil: process.lease?.stop(for: pause)
        case .stopped(let pause):
            log(process.name, "is stopped for \(pause)")
            process.stop()
            plan(after: pause) { _ in process.wake() }
        }
    }

    package func applyFault(_ process: WorkerProcess<Program>, _ fault: Fault) {
        switch fault {
        case .killed: kill(process)
        case .stopped(let pause):
            log(process.name, "is stopped for \(pause)")
            process.stop()
            plan(after: pause) { _ in process.wake() }
        }
    }
}

extension Duration {
    /// Whole microseconds.
    package var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
