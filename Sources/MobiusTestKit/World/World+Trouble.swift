import MobiusCore
import MobiusEngine
import MobiusWire

// Injects random faults.
extension World {
    func makeTrouble() {
        if let cluster, !cluster.plan.troubles.isEmpty, chance.percent(50) {
            troubles += 1
            return cluster.makeTrouble(chance.pick(cluster.plan.troubles))
        }
        guard !scenario.faults.troubles.isEmpty else { return }
        troubles += 1
        let trouble = chance.pick(scenario.faults.troubles)
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
            let heartbeat = scenario.timing.heartbeat
            worker.leave(within: chance.pick([.zero, heartbeat / 10, heartbeat, scenario.timing.deadAfter]))
        case .killCoordinator: anyCoordinator?.inject(after: chance.number(0...12), .killed)
        case .stopCoordinator: anyCoordinator?.inject(after: chance.number(0...12), .stopped(randomPause()))
        case .endCoordinator:
            log("trouble", "the coordinator is asked to stop")
            if cluster == nil { coordinator?.stopOrderly() } else { anyCoordinator?.turn?.host.leave() }
        case .replaceCoordinator: replaceCoordinator()
        case .unknownPeer: sendFromUnknownPeer()
        case .clockJump:
            let jump = chance.pick([-3_600_000, -5000, -600, 400, 5000, 3_600_000])
            log("trouble", "the calendar jumps by \(jump) ms")
            jumpCalendar(by: .milliseconds(jump))
        }
    }

    /// The newest process of any shard.
    private var anyCoordinator: CoordinatorProcess<Program>? { newest.count == 1 ? newest[0] : chance.pick(newest) }

    /// A random pause, in half of the cases long enough that a process may be considered dead.
    private func randomPause() -> Duration {
        let dead = Int(scenario.timing.deadAfter.microseconds)
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

    /// Starts a second coordinator on the journal while the first one still runs, after being stopped for a while.
    private func replaceCoordinator() {
        guard cluster == nil, replacedCoordinators.isEmpty, let old = coordinator, old.isAlive, !old.isEnding else {
            return
        }
        log("trouble", "\(old.name) is replaced while it still runs")
        replacedCoordinators = [old]
        coordinator = nil
        if !old.isStopped { applyFault(old, .stopped(randomPause())) }
        plan(after: chance.milliseconds(1...300)) { $0.startCoordinator() }
        plan(after: scenario.timing.deadAfter * 4) { $0.crash(old) }
    }

    /// Connects an unknown peer that sends malformed bytes, or messages without a valid session.
    private func sendFromUnknownPeer() {
        guard let coordinator = anyCoordinator, coordinator.isAlive else { return }
        lastLink += 1
        let link = Link(number: lastLink, place: 0, epoch: coordinator.epoch)
        link.isOpen = false
        links[lastLink] = link
        var bytes: [UInt8] = []
        switch chance.number(0...3) {
        case 0: bytes = (0..<chance.number(0...80)).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
        case 1:
            Envelope(epoch: coordinator.epoch, session: 1, message: WorkerMessage.credit(total: 9)).encode(into: &bytes)
        case 2:
            let id = AttemptID(
                effect: EffectID(loop: .main, sequence: UInt64(chance.number(0...9)), index: 0),
                attempt: Attempt(epoch: coordinator.epoch, number: 1))
            let report = EventReport(id: ReportID(attempt: id, number: 1), final: true, event: nonsense(3))
            Envelope(
                epoch: coordinator.epoch, session: UInt64(chance.number(0...5)),
                message: WorkerMessage.events(creditTotal: 1, [report])
            )
            .encode(into: &bytes)
        default:
            let hello = Hello(
                versions: [99], incarnation: Incarnation(high: 99, low: lastLink), pools: ["bank"], build: "stranger",
                contentTypes: [], creditTotal: 5)
            Envelope(epoch: 0, session: 0, message: WorkerMessage.hello(hello)).encode(into: &bytes)
        }
        log("trouble", "unknown peer \(link.number) sends \(bytes.count) bytes")
        coordinator.arrive(Delivery(bytes: bytes, moment: now, isCut: false), from: Peer(link.number))
    }

    /// Stops injecting faults, and repairs those that last.
    func stopFaults() {
        trace("world", "injects no more faults")
        isFaulty = false
        network.faults = NetworkFaults()
        for disk in disks { disk.faults.failing = 0 }
        for place in workers.indices { heal(place) }
        if cluster == nil { replacedCoordinators.forEach(crash) }
        for worker in workers {
            worker?.cancelFault()
            worker?.wake()
        }
        for process in newest { process?.cancelFault() }
        if let cluster {
            cluster.recover()
            cluster.expectOwners()
        } else {
            coordinator?.wake()
        }
        mend()
        expectReports()
    }
}
