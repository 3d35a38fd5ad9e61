import MobiusCore
import MobiusEngine
import MobiusWire

// Injects random faults.
extension World {
    func makeTrouble() {
        if director?.makeTrouble() == true {
            troubles += 1
            return
        }
        guard !fleet.faults.troubles.isEmpty else { return }
        troubles += 1
        let trouble = chance.pick(fleet.faults.troubles)
        let worker = workers.isEmpty ? nil : chance.pick(workers)
        switch trouble {
        case .breakLink:
            guard let worker, !partitioned.contains(worker.place) else { return }
            log("trouble", "the connection of \(worker.name) breaks")
            disconnect(worker.ports.count == 1 ? worker.ports[0] : chance.pick(worker.ports))
        case .partition where workers.isEmpty: break
        case .partition: partition(chance.number(0...(workers.count - 1)))
        case .killWorker: worker?.inject(after: chance.number(0...6), .killed)
        case .stopWorker: worker?.inject(after: chance.number(0...6), .stopped(randomPause()))
        case .drainWorker:
            guard let worker else { return }
            log("trouble", "\(worker.name) is asked to drain")
            let heartbeat = fleet.timing.heartbeat
            worker.leave(within: chance.pick([.zero, heartbeat / 10, heartbeat, fleet.timing.deadAfter]))
        case .killCoordinator: anyCoordinator?.inject(after: chance.number(0...12), .killed)
        case .stopCoordinator: anyCoordinator?.inject(after: chance.number(0...12), .stopped(randomPause()))
        case .endCoordinator:
            log("trouble", "the coordinator is asked to stop")
            guard let process = anyCoordinator else { return }
            if let lease = process.lease { lease.leave() } else { process.stopOrderly() }
        case .replaceCoordinator, .unknownPeer: director?.make(trouble)
        case .clockJump:
            let jump = chance.pick([-3_600_000, -5000, -600, 400, 5000, 3_600_000])
            log("trouble", "the calendar jumps by \(jump) ms")
            jumpCalendar(by: .milliseconds(jump))
        }
    }

    /// The newest process of any shard.
    package var anyCoordinator: CoordinatorProcess<Program>? { newest.count == 1 ? newest[0] : chance.pick(newest) }

    /// A random pause, in half of the cases long enough that a process may be considered dead.
    package func randomPause() -> Duration {
        let dead = Int(fleet.timing.deadAfter.microseconds)
        return chance.microseconds(chance.percent(50) ? 1000...dead / 4 : dead / 4...dead * 2)
    }

    private func partition(_ place: Int) {
        guard partitioned.insert(place).inserted else { return }
        let ways = chance.pick([[Link.Way.toWorker], [.toCoordinator], Link.Way.allCases, Link.Way.allCases])
        let pause = randomPause()
        log("trouble", "place \(place) is cut off for \(pause), \(ways.map(\.rawValue))")
        for port in workers[place]?.ports ?? [] { port.link?.muted = Set(ways) }
        plan(after: pause) { $0.heal(place) }
    }

    func heal(_ place: Int) {
        guard partitioned.remove(place) != nil else { return }
        log("trouble", "place \(place) is connected again")
        for link in links.values where link.place == place {
            link.muted = []
            // Connections that ended meanwhile are detected now.
            if !link.isOpen { link.isEndDetected = true }
        }
    }

    /// Stops injecting faults, and repairs those that last.
    package func stopFaults() {
        trace("world", "injects no more faults")
        isFaulty = false
        network.faults = NetworkFaults()
        for disk in disks { disk.faults.failing = 0 }
        for place in workers.indices { heal(place) }
        for process in replacedCoordinators where process.lease == nil { crash(process) }
        for worker in workers {
            worker?.cancelFault()
            worker?.wake()
        }
        for process in newest { process?.cancelFault() }
        if let coordinator, coordinator.lease == nil { coordinator.wake() }
        director?.recover()
        expectReports()
    }
}
