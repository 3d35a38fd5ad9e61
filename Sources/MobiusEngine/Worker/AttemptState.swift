import MobiusWire

extension WorkerMachine {
    /// One attempt: its handler, and the reports that wait for their ACK.
    struct AttemptState: SlotValue {
        static var nothing: Self { Self() }

        mutating func reset() {
            outbox.removeAll()
            traceparent = ""
        }

        var attempt: Attempt { outbox.attempt }
        var running = true
        /// Whether its worker shuts down and no longer waits for its handler.
        ///
        /// It is listed until BYE; otherwise the coordinator would assume that it never began, or was lost.
        var isGivenUp = false
        /// Whether the coordinator asked for its end.
        var isCancelled = false
        /// The number of its next report.
        var nextNumber: UInt32 = 1
        /// Reports without ACK, in order.
        var outbox = Outbox()
        /// The number of the first report that was not sent in this session.
        var nextToSend: UInt32 = 1
        /// The number of the last report that was ever sent.
        var lastSent: UInt32 = 0
        /// The number after the reports that were sent again, while more may have to be sent again; otherwise 0.
        var againUpTo: UInt32 = 0
        /// The time since which the oldest sent report has waited for its ACK.
        var waitsSince: Moment?
        /// The time at which the handler last reported progress, or sent a report.
        var progress: Moment?
        /// The W3C trace context of its events, or empty.
        var traceparent = ""
    }
}

extension WorkerMachine.AttemptState {
    /// Begins an attempt, in the place of a removed one.
    mutating func begin(_ id: consuming AttemptID) {
        outbox.begin(id)
        running = true
        isGivenUp = false
        isCancelled = false
        nextNumber = 1
        nextToSend = 1
        lastSent = 0
        againUpTo = 0
        waitsSince = nil
        progress = nil
    }

    /// The age of its progress for the lists of held attempts.
    func progressAge(at now: Moment) -> UInt32 {
        guard let progress else { return HeldAttempt.noProgress }
        return min((now - progress).wireMilliseconds, HeldAttempt.noProgress - 1)
    }

    /// Accepts and numbers a report of an attempt's handler.
    ///
    /// Returns whether it is the first report that waits to be sent, or `nil` when the handler's reports are no longer
    /// accepted.
    mutating func accept(
        _ event: consuming Payload?, of id: borrowing AttemptID, final: Bool, at now: Moment
    ) -> Bool? {
        guard attempt == id.attempt, running else { return nil }
        progress = now
        if final { running = false }
        if event == nil {
            if isCancelled {
                // The successor of the coordinator that sent CANCEL may not know of it: it must not take the end of a
                // stopped handler for the end of the effect.
                let id = ReportID(attempt: copy id, number: nextNumber)
                outbox.append(FailureReport(id: id, retryable: true, reason: "it was cancelled"))
                return countQueued()
            }
            // The end is merged into the last report if that was never sent: one record is applied and ends the
            // attempt.
            if lastSent + 1 < nextNumber, outbox.endLast() { return false }
        }
        let traceparent = event == nil ? "" : traceparent
        outbox.append(number: nextNumber, final: final, event: event, traceparent: traceparent)
        return countQueued()
    }

    /// The same for a failure, which ends the handler.
    mutating func accept(_ failure: consuming FailureReport, at now: Moment) -> Bool? {
        guard attempt == failure.id.attempt.attempt, running else { return nil }
        progress = now
        running = false
        failure.id.number = nextNumber
        outbox.append(failure)
        return countQueued()
    }

    /// Counts a report that was put into the outbox; returns whether it is the first that waits to be sent.
    private mutating func countQueued() -> Bool {
        nextNumber += 1
        return nextToSend + 1 == nextNumber
    }

    /// Handles an ACK; returns the size of its event, or `nil` when no report waited for it.
    mutating func acknowledge(_ attempt: Attempt, number: UInt32, at now: Moment) -> Int? {
        guard attempt == self.attempt, let bytes = outbox.remove(number: number) else { return nil }
        waitsSince = isUnanswered ? now : nil
        return bytes
    }

    /// Whether nothing is left of it.
    var isOver: Bool { outbox.isEmpty && !running && !isGivenUp }

    /// Whether a report was sent in this session that has no ACK.
    private var isUnanswered: Bool { !outbox.isEmpty && outbox.oldest < nextToSend }

    /// Whether all that was sent again has its ACK.
    var isDoneAgain: Bool { againUpTo > 0 && (outbox.isEmpty || outbox.oldest >= againUpTo) }

    /// Copies unsent reports into `reports`, as many as there is room for; returns whether more are left.
    mutating func takeUnsent(at now: Moment, into reports: inout WorkerMachine.Reports) -> Bool {
        guard nextToSend < nextNumber else { return false }
        sent(upTo: outbox.hand(from: nextToSend, atMost: .attempt, to: &reports))
        waitsSince = waitsSince ?? now
        return nextToSend < nextNumber
    }

    /// Copies the oldest sent reports into `reports` again.
    ///
    /// Only a few: either all were lost, or, more often, the coordinator has them and its disk is slow. If they get
    /// their ACKs and the others do not, the others follow.
    mutating func takeAgain(at now: Moment, into reports: inout WorkerMachine.Reports) {
        guard isUnanswered else {
            againUpTo = 0
            return
        }
        let next = outbox.hand(from: outbox.oldest, atMost: .again, to: &reports)
        againUpTo = next ?? nextNumber
        if againUpTo > nextToSend { sent(upTo: next) }
        waitsSince = now
    }

    private mutating func sent(upTo next: UInt32?) {
        nextToSend = next ?? nextNumber
        lastSent = max(lastSent, nextToSend - 1)
    }

    /// A session begins, in which nothing was sent; returns whether there are reports to send.
    mutating func sendAll() -> Bool {
        nextToSend = outbox.isEmpty ? nextNumber : outbox.oldest
        againUpTo = 0
        waitsSince = nil
        return nextToSend < nextNumber
    }
}
