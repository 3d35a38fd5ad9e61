import MobiusCore
import MobiusEngine

// Connections and their messages.
extension World {
    /// The sockets of all workers.
    package var ports: [SimulatedWorkerIO<Program>] { workers.flatMap { $0?.ports ?? [] } }

    /// Connects a worker's socket for a shard, and retries until a coordinator is reachable.
    func connect(_ port: SimulatedWorkerIO<Program>) {
        let worker = port.process
        guard worker.isAlive, port.hasSocket, port.link == nil else { return }
        let candidates = coordinators.filter {
            $0.shard == port.shard && $0.isAlive && !$0.isStopped && $0.lease?.isCutFromWorkers != true
        }
        guard !partitioned.contains(worker.place), !worker.isStopped, let first = candidates.first else {
            plan(after: chance.milliseconds(5...60)) { if worker.isAlive { $0.connect(port) } }
            return
        }
        let target = candidates.count > 1 && chance.percent(30) ? candidates[1] : first
        lastLink += 1
        let link = Link(number: lastLink, place: worker.place, epoch: target.epoch)
        links[lastLink] = link
        places[lastLink] = worker.place
        port.link = link
        plan(after: chance.microseconds(50...2000)) { world in
            guard link.isOpen else { return }
            world.trace(worker.name, "is connected to \(target.name) as \(link.number)")
            worker.connected(port)
        }
    }

    /// Closes the worker's end of a link; the coordinator may not detect that, for example during a partition.
    func cut(_ link: Link?) {
        guard let link, link.isOpen else { return }
        link.isOpen = false
        guard link.muted.isEmpty, !chance.percent(isFaulty ? 15 : 0) else { return }
        link.isEndDetected = true
        links[link.number] = nil
        plan(after: chance.microseconds(20...1000)) { world in
            world.coordinator(of: link.epoch)?.connectionEnded()
        }
    }

    /// Breaks a worker's connection; its socket reconnects.
    func disconnect(_ port: SimulatedWorkerIO<Program>) {
        guard let link = port.link else { return }
        let worker = port.process
        cut(link)
        port.link = nil
        plan(after: chance.milliseconds(1...150)) { if worker.isAlive { $0.connect(port) } }
    }

    /// The link with this number; `nil` if the coordinator has detected its end.
    func link(_ number: UInt64, to process: CoordinatorProcess<Program>) -> Link? {
        guard let link = links[number], link.epoch == process.epoch, !link.isEndDetected else { return nil }
        return link
    }

    func carry(_ bytes: [UInt8], over link: Link, _ way: Link.Way, isNews: Bool = true) {
        if isNews { lastActivity = now }
        for delivery in network.deliveries(of: bytes, over: link, way, at: now, &chance) {
            queue.plan(at: delivery.moment) { $0.deliver(delivery, over: link, way) }
        }
    }

    private func deliver(_ delivery: Delivery, over link: Link, _ way: Link.Way) {
        guard link.isOpen, !link.muted.contains(way) else { return }
        switch way {
        case .toCoordinator:
            coordinator(of: link.epoch)?.arrive(delivery, from: Peer(link.number))
        case .toWorker:
            guard let worker = workers[link.place], let port = worker.ports.first(where: { $0.link === link }) else {
                return
            }
            worker.arrive(delivery, at: port)
        }
    }
}
