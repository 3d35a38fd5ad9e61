public import MobiusCore
import MobiusEngine
public import MobiusWire

// Faults at chosen moments. Worker numbers count from 0 in each pool.
extension TestFleet {
    /// Sends an event from outside, as `mobius send` and a coordinator's `LoopHandle` do.
    ///
    /// It does not advance time. While the fleet runs, the event is sent again until it is in the journal: events that
    /// wait for a coordinator at the same time arrive in any order, as those of several clients do.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - loop: The loop's id. A loop that does not exist yet begins with this event.
    ///   - key: The idempotency key: of events with equal keys, a loop applies only one. `nil` generates a unique key.
    /// - Returns: the request, for ``answer(to:as:)`` and ``refusal(of:)``.
    @discardableResult
    public func send(_ event: Program.Event, to loop: LoopID = .main, key: String? = nil) -> Request {
        inside { world, record in
            record.sent += 1
            let key = key ?? "test-\(record.sent)"
            world.send(.init(loop: loop, key: key, event: event, after: .zero))
            return Request(loop: loop, key: key, index: world.requests.count - 1)
        }
    }

    // MARK: - Processes

    /// Kills a worker process, as SIGKILL does.
    ///
    /// Another process starts in its place within half a second.
    ///
    /// Handlers that sleep on the fleet's clock do not continue.
    public func killWorker(_ number: Int = 0, in pool: String) {
        withWorker(number, in: pool) { world, worker in world.kill(worker) }
    }

    /// Kills the worker process that runs this effect, as ``killWorker(_:in:)`` does.
    ///
    /// - Returns: whether a worker was running the effect.
    @discardableResult
    public func killWorker(running effect: EffectID) -> Bool {
        inside { world, _ in
            guard let worker = world.worker(running: effect) else { return false }
            world.kill(worker)
            return true
        }
    }

    /// Stops a worker process, as SIGSTOP does, until ``continueWorker(_:in:)``.
    ///
    /// With the default timing, the coordinator considers it dead after ten seconds and reassigns its effects.
    public func stopWorker(_ number: Int = 0, in pool: String) {
        withWorker(number, in: pool) { world, worker in world.freeze(worker) }
    }

    /// Continues a stopped worker process, as SIGCONT does.
    ///
    /// It then sends the messages that it had not sent yet.
    public func continueWorker(_ number: Int = 0, in pool: String) {
        withWorker(number, in: pool) { world, worker in world.thaw(worker) }
    }

    /// Drains a worker process, as SIGTERM does: it finishes its effects and exits, and another one starts in its
    /// place.
    public func drainWorker(_ number: Int = 0, in pool: String) {
        withWorker(number, in: pool) { world, worker in world.drain(worker) }
    }

    /// A step at which the coordinator can be killed.
    public enum CoordinatorMoment: Sendable, CaseIterable {
        /// After the next event is applied, before it is on disk.
        case beforeCommit
        /// After the next event is on disk, before any action that depends on it.
        case afterCommit
        /// Directly after the next effect is sent to a worker.
        case afterSend
    }

    /// Kills the coordinator, as SIGKILL does.
    ///
    /// It restarts within seconds and recovers from its journal.
    public func killCoordinator() {
        inside { world, _ in
            if let coordinator = world.coordinator { world.crash(coordinator) }
        }
    }

    /// Kills the coordinator when it next reaches this step; see ``killCoordinator()``.
    public func killCoordinator(at moment: CoordinatorMoment) {
        inside { world, _ in
            world.crashPoint =
                switch moment {
                case .beforeCommit: .beforeCommit
                case .afterCommit: .afterCommit
                case .afterSend: .afterSend
                }
        }
    }

    // MARK: - The network

    /// Drops all messages between the coordinator and its workers for `duration`.
    ///
    /// Events from outside still arrive.
    public func cutNetwork(for duration: Duration) {
        inside { world, _ in
            for place in world.workers.indices { world.cutOff(place, for: duration) }
        }
    }

    /// Drops all messages between the coordinator and one worker for `duration`.
    public func cutNetwork(to number: Int, in pool: String, for duration: Duration) {
        let place = place(number, in: pool)
        inside { world, _ in world.cutOff(place, for: duration) }
    }

    /// A kind of message between the coordinator and a worker.
    public enum MessageKind: Sendable, CaseIterable {
        /// Effects sent to a worker.
        case effect
        /// Events or failures of handlers, sent to the coordinator.
        case event
        /// The acknowledgement that events are on disk, sent to a worker.
        case acknowledgement
    }

    /// Drops the next message of this kind; each call drops one message.
    public func loseNextMessage(_ kind: MessageKind) {
        inside { world, _ in
            switch kind {
            case .effect: world.messagesToDrop.append(.effect)
            case .event: world.messagesToDrop.append(.event)
            case .acknowledgement: world.messagesToDrop.append(.acknowledgement)
            }
        }
    }

    // MARK: - Disk and calendar

    /// Makes all writes to the journal fail until ``freeDisk()``.
    ///
    /// Each failed write ends the coordinator, which then restarts.
    public func fillDisk() {
        inside { world, _ in world.fillDisk(true) }
    }

    /// Ends the effect of ``fillDisk()``: writes to the journal succeed again.
    public func freeDisk() {
        inside { world, _ in world.fillDisk(false) }
    }

    /// Sets the calendar forward or back by `jump`.
    ///
    /// Time on ``clock`` is not affected.
    public func jumpCalendar(by jump: Duration) {
        inside { world, _ in
            world.log("trouble", "the calendar jumps by \(jump)")
            world.jumpCalendar(by: jump)
        }
    }

    // MARK: - Finding a worker

    private func withWorker(_ number: Int, in pool: String, _ body: (World<Program>, WorkerProcess<Program>) -> Void) {
        let place = place(number, in: pool)
        inside { world, _ in
            // While the place's next process has not started, the fault has no effect.
            if let worker = world.workers[place] { body(world, worker) }
        }
    }

    private func place(_ number: Int, in pool: String) -> Int {
        inside { _, record in
            let places = record.pools.indices.filter { record.pools[$0].contains(pool) }
            precondition(
                places.indices.contains(number),
                "This fleet has \(places.count) workers in the pool \"\(pool)\", but no worker number \(number).")
            return places[number]
        }
    }
}
