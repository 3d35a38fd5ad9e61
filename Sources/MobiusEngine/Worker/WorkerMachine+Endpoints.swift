import MobiusWire

// Several coordinators: front doors, MOVED, and the search for the owner.
extension WorkerMachine {
    /// The connection was lost, or could not be made.
    mutating func disconnected(at now: Moment, _ actions: inout [WorkerAction]) {
        guard rotation.isCluster else { return }
        if link != .connecting { actions.append(.note(.disconnected)) }
        goOn(.refused, at: now, &actions)
    }

    /// A MOVED came: the coordinator at this endpoint is not the owner.
    mutating func moveOn(_ moved: Moved, at now: Moment, _ actions: inout [WorkerAction]) {
        shards = max(shards, moved.shards)
        // Only the newest HELLO counts, and a session is not ended by one who says that it has none.
        guard awaitsWelcome, moved.hello == 0 || moved.hello == helloNumber else { return }
        connect(after: rotation.move(to: moved.endpoint), at: now, &actions)
    }

    /// A coordinator of an old epoch was refused: it has been replaced, and does not know it yet.
    mutating func refuse(_ epoch: UInt64, at now: Moment, _ actions: inout [WorkerAction]) {
        // With several coordinators it may come by four times a second.
        if !rotation.isCluster || refusedEpoch != epoch {
            actions.append(.note(.refusedEpoch(epoch, newest: self.epoch)))
        }
        refusedEpoch = epoch
        reconnect(at: now, &actions)
    }

    /// Goes on to the next front door: at once after the loss of a session, else after a pause.
    mutating func goOn(_ leaving: EndpointRotation.Leaving, at now: Moment, _ actions: inout [WorkerAction]) {
        connect(after: rotation.goOn(wasServed ? .lost : leaving), at: now, &actions)
    }

    private mutating func connect(
        after pause: EndpointRotation.Pause, at now: Moment, _ actions: inout [WorkerAction]
    ) {
        link = .connecting
        awaitsWelcome = false
        wasServed = false
        nextHello = nil
        let pause = EndpointRotation.duration(of: pause, drawing: random.next())
        lastHeard = now + pause  // silence counts only while connected
        leavesAt = now + pause + rotation.patience
        actions.append(.move(to: rotation.endpoint, after: pause))
    }
}
