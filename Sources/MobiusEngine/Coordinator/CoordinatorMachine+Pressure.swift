import MobiusWire

// Bounds the memory of uncommitted records.
//
// A worker keeps each report until its ACK, and each of its handlers stops sending when the maximum number of its
// events is unacknowledged (`WorkerSettings.maximumUnacknowledged`). So at most workers × handlers × that window wait
// here, each report once. With many workers that is too much: beyond a number of records or bytes, reports are dropped
// as if they had been lost. All other messages are processed even if the disk is slow, so a slow disk never makes a
// worker count as lost.
extension CoordinatorMachine {
    // Inlined, like what it calls: for a call the whole machine would be moved.
    /// Whether intake is closed because too many records are uncommitted.
    @inline(__always)
    var isFull: Bool {
        waits(forRecords: configuration.maximumUncommitted, bytes: configuration.maximumUncommittedBytes)
    }

    @inline(__always)
    private func waits(forRecords records: Int, bytes: Int) -> Bool {
        inFlight.records + batch.records.count >= records || inFlight.bytes + batch.bytes >= bytes
    }

    /// Asks workers for dropped reports, once there is room: in a new session they send all of them again, in order;
    /// otherwise they would start with a few after the resend time.
    mutating func askAgain(_ actions: inout [CoordinatorAction]) {
        guard
            !waits(
                forRecords: (configuration.maximumUncommitted + 1) / 2,
                bytes: (configuration.maximumUncommittedBytes + 1) / 2)
        else { return }
        for worker in roster.takeMissed() {
            send(.resync, to: roster[worker].peer, session: roster[worker].session, &actions)
        }
    }

    /// Acknowledges one more event of a handler in this process, because it is on disk or was dropped.
    func acknowledge(_ attempt: AttemptID, bytes: Int, _ actions: inout [CoordinatorAction]) {
        if case .acknowledged(attempt, let events, let before) = actions.last {
            actions[actions.count - 1] = .acknowledged(attempt, events: events + 1, bytes: before + bytes)
        } else {
            actions.append(.acknowledged(attempt, events: 1, bytes: bytes))
        }
    }
}
