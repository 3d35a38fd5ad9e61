public import MobiusCore
import MobiusEngine
public import MobiusWire

// Faults, at the moment of your choice. Numbers of workers count from 0 in their pool.
extension TestFleet {
    /// Sends an event from outside, as `mobius send` and a coordinator's `LoopHandle` do, and goes on sending it until it
    /// is in the journal.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - loop: The loop, which begins with its first event if there is none of that name.
    ///   - key: Its idempotency key: of events with equal keys, a loop applies one. `nil` for one of its own.
    public func send(_ event: Program.Event, to loop: LoopID = .main, key: String? = nil) {
        inside { world, record in
            record.sent += 1
            world.send(.init(loop: loop, key: key ?? "test-\(record.sent)", event: event, after: .zero))
        }
    }

    // MARK: - Processes

    /// Kills a worker process at once, as SIGKILL does; another one takes its place within half a second.
    ///
    /// Nothing that its handlers would have done after their sleep on the clock happens.
    public func killWorker(_ number: Int = 0, in pool: String) {
        withWorker(number, in: pool) { world, worker in world.kill(worker) }
    }

    /// Kills the worker process that runs this effect, as ``killWorker(_:in:)`` does.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func killWorker(running effect: EffectID) -> Bool {
        inside { world, _ in
            guard let worker = world.worker(running: effect) else { return false }
            world.kill(worker)
            return true
        }
    }

    /// Lets a worker process stand still, as SIGSTOP does, until ``continueWorker(_:in:)``.
    ///
    /// After ten seconds it counts as dead, and its effects go to others.
    public func stopWorker(_ number: Int = 0, in pool: String) {
        withWorker(number, in: pool) { world, worker in world.freeze(worker) }
    }

    /// Lets a stopped worker process go on, as SIGCONT does: with what it was about to say.
    public func continueWorker(_ number: Int = 0, in pool: String) {
        withWorker(number, in: pool) { world, worker in world.thaw(worker) }
    }

    /// Tells a worker process to leave, as SIGTERM does: it finishes what it has, and another one takes its place.
    public func drainWorker(_ number: Int = 0, in pool: String) {
        withWorker(number, in: pool) { world, worker in world.drain(worker) }
    }

    /// A place in a coordinator's way with an event.
    public enum CoordinatorMoment: Sendable, CaseIterable {
        /// The next event has been applied, and is not on disk.
        case beforeCommit
        /// The next event is on disk, and nothing has followed from it.
        case afterCommit
        /// The next effect has been sent, and nothing else.
        case afterSend
    }

    /// Kills the coordinator at once, as SIGKILL does; it starts again within seconds and goes on from its journal.
    public func killCoordinator() {
        inside { world, _ in
            if let coordinator = world.coordinator { world.crash(coordinator) }
        }
    }

    /// Kills the coordinator when it next comes to this place; see ``killCoordinator()``.
    public func killCoordinator(at moment: CoordinatorMoment) {
        inside { world, _ in
            world.plannedEnd =
                switch moment {
                case .beforeCommit: .beforeCommit
                case .afterCommit: .afterCommit
                case .afterSend: .afterSend
                }
        }
    }

    // MARK: - The network

    /// Lets nothing pass between the coordinator and any worker for so long; senders from outside are not concerned.
    public func cutNetwork(for duration: Duration) {
        inside { world, _ in
            for place in world.workers.indices { world.cutOff(place, for: duration) }
        }
    }

    /// Lets nothing pass between the coordinator and one worker for so long.
    public func cutNetwork(to number: Int, in pool: String, for duration: Duration) {
        let place = place(number, in: pool)
        inside { world, _ in world.cutOff(place, for: duration) }
    }

    /// A message between the coordinator and a worker.
    public enum MessageKind: Sendable, CaseIterable {
        /// Effects on their way to a worker.
        case effect
        /// What handlers said, on its way to the coordinator.
        case event
        /// The word that events are on disk, on its way to a worker.
        case acknowledgement
    }

    /// Loses the next message of this kind; another call loses one more.
    public func loseNextMessage(_ kind: MessageKind) {
        inside { world, _ in
            switch kind {
            case .effect: world.losing.append(.effect)
            case .event: world.losing.append(.event)
            case .acknowledgement: world.losing.append(.acknowledgement)
            }
        }
    }

    // MARK: - Disk and calendar

    /// Lets nothing more be written to the journal, until ``freeDisk()``: the coordinator ends when it would write, starts again,
    /// and so on.
    public func fillDisk() {
        inside { world, _ in world.fillDisk(true) }
    }

    /// Lets the journal be written again.
    public func freeDisk() {
        inside { world, _ in world.fillDisk(false) }
    }

    /// Sets the calendar forward, or back, by so much: time on ``clock`` goes on as ever.
    public func jumpCalendar(by jump: Duration) {
        inside { world, _ in
            world.tell("trouble", "the calendar jumps by \(jump)")
            world.jumpCalendar(by: jump)
        }
    }

    // MARK: - Which worker

    private func withWorker(_ number: Int, in pool: String, _ body: (World<Program>, WorkerProcess<Program>) -> Void) {
        let place = place(number, in: pool)
        inside { world, _ in
            // One that is about to start is what there is: nothing befalls a process that is not there.
            if let worker = world.workers[place] { body(world, worker) }
        }
    }

    private func place(_ number: Int, in pool: String) -> Int {
        inside { _, record in
            let places = record.pools.indices.filter { record.pools[$0].contains(pool) }
            precondition(
                places.indices.contains(number),
                "This fleet has \(places.count) workers in the pool \"\(pool)\", and none with the number \(number).")
            return places[number]
        }
    }
}
