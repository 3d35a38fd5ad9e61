import MobiusCore
import MobiusDriver
import MobiusEngine

// Processes begin and end.
extension World {
    func startCoordinator() {
        guard coordinator == nil else { return }
        let epoch = disk.open()
        tell("coordinator#\(epoch)", "starts")
        do {
            let process = try CoordinatorProcess(self, epoch: epoch)
            process.meets = { [unowned self, unowned process] in strike(process, $0) }
            coordinator = process
        } catch let error as CoordinatorError where error.code == .program {
            fail(error.message)
        } catch {
            complain(.nothingLost, "coordinator#\(epoch) cannot read the journal back: \(error)")
        }
    }

    /// A loop was read back from the journal.
    func resumed(_ prepared: PreparedLoop<Program>, in process: CoordinatorProcess<Program>) {
        guard let model = try? models.encode(prepared.loop.model) else { return }
        let id = prepared.loop.id
        guard case .recover(let resumed) = prepared.input else {
            return oracle.compare(id, model, upTo: nil, in: process.name)
        }
        oracle.compare(id, model, upTo: resumed.lastSequence, in: process.name)
        chronicle.resumed(id, resumed.pending.map(\.0), epoch: process.epoch, at: now)
    }

    /// The process is gone at once; another one starts.
    func crash(_ process: CoordinatorProcess<Program>) {
        guard process.isAlive else { return }
        tell(process.name, "is gone")
        process.die()
        bury(process)
    }

    /// The process stopped orderly.
    func ended(_ process: CoordinatorProcess<Program>) {
        tell(process.name, "has ended")
        if !process.isEnding { complain(.conduct, "\(process.name) ended, and nobody told it to") }
        process.die()
        bury(process)
    }

    private func bury(_ process: CoordinatorProcess<Program>) {
        for worker in workers {
            guard let worker, worker.link?.epoch == process.epoch else { continue }
            disconnect(worker)
        }
        for (number, link) in links where link.epoch == process.epoch { links[number] = nil }
        if zombie === process { zombie = nil }
        guard coordinator === process else { return }
        coordinator = nil
        operations = [:]  // nobody will answer
        let silence = Int(scenario.timing.silence.microseconds)
        let isLong = isFaulty && !scenario.faults.sparesWorkers && chance.percent(20)
        let pause = isLong ? silence / 2...silence * 3 : 1000...silence / 2
        plan(after: chance.microseconds(pause)) { $0.startCoordinator() }
    }

    func startWorker(_ place: Int) {
        guard workers[place] == nil else { return }
        lives[place] += 1
        let process = WorkerProcess(self, place: place, life: lives[place])
        process.meets = { [unowned self, unowned process] in strike(process, $0) }
        workers[place] = process
        tell(process.name, "starts")
        process.begin()
    }

    /// The process is gone at once, with its handlers.
    func kill(_ process: WorkerProcess<Program>) {
        guard process.isAlive else { return }
        tell(process.name, "is killed")
        process.die()
        expectLoss(of: process)
        replace(process)
    }

    /// The process ended by itself.
    func left(_ process: WorkerProcess<Program>) {
        process.die()
        replace(process)
    }

    private func replace(_ process: WorkerProcess<Program>) {
        chronicle.dead.insert(process.name)
        cut(process.link)
        workers[process.place] = nil
        plan(after: chance.milliseconds(1...400)) { $0.startWorker(process.place) }
    }

    // MARK: Fates

    func strike(_ process: CoordinatorProcess<Program>, _ fate: Fate) {
        switch fate {
        case .killed: crash(process)
        case .stopped(let pause):
            tell(process.name, "is stopped for \(pause)")
            process.stop()
            plan(after: pause) { _ in process.wake() }
        }
    }

    func strike(_ process: WorkerProcess<Program>, _ fate: Fate) {
        switch fate {
        case .killed: kill(process)
        case .stopped(let pause):
            tell(process.name, "is stopped for \(pause)")
            process.stop()
            plan(after: pause) { _ in process.wake() }
        }
    }
}

extension Duration {
    /// Whole microseconds.
    var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
