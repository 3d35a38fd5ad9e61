import MobiusWire

// What bounds the memory of records that wait for the disk.
//
// A worker keeps each report until its ACK, and each of its handlers stops sending when so many of its events wait for
// theirs (`WorkerSettings.maximumUnacknowledged`). So what waits here is at most workers x handlers x that window, and each
// report once, for one that comes again waits already. Many workers make much of that: so beyond a number of records or
// bytes, reports are dropped as if they had been lost on their way. Everything else that workers say is taken in, whatever
// the disk does: nobody is taken for dead because it is slow.
extension CoordinatorMachine {
    /// Whether so much waits for its commit that nothing more is taken in.
    var isFull: Bool {
        waits(forRecords: configuration.maximumUncommitted, bytes: configuration.maximumUncommittedBytes)
    }

    private func waits(forRecords records: Int, bytes: Int) -> Bool {
        recordsInFlight + batch.records.count >= records || bytesInFlight + batch.bytes >= bytes
    }

    /// Drops the reports of a message.
    mutating func miss(_ worker: WorkerSlot) {
        workers[worker].hasMissed = true
        hasMissed = true
    }

    /// Asks workers for what was dropped, once there is room: in a new session they send it all again, in order, where they
    /// would otherwise begin with a few after a while.
    mutating func askAgain(_ actions: inout [CoordinatorAction]) {
        guard
            !waits(
                forRecords: (configuration.maximumUncommitted + 1) / 2,
                bytes: (configuration.maximumUncommittedBytes + 1) / 2)
        else { return }
        hasMissed = false
        for incarnation in workerOrder {
            guard let worker = workers.slot(of: incarnation), workers[worker].hasMissed else { continue }
            workers[worker].hasMissed = false
            send(.resync, to: workers[worker].peer, session: workers[worker].session, &actions)
        }
    }

    /// Tells a handler in this process that one more of its events is on disk, or that nobody waits for it.
    func acknowledge(_ attempt: AttemptID, bytes: Int, _ actions: inout [CoordinatorAction]) {
        if case .acknowledged(attempt, let events, let before) = actions.last {
            actions[actions.count - 1] = .acknowledged(attempt, events: events + 1, bytes: before + bytes)
        } else {
            actions.append(.acknowledged(attempt, events: 1, bytes: bytes))
        }
    }
}
