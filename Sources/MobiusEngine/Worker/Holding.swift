import MobiusWire

extension WorkerMachine {
    /// One attempt: its handler, and the reports that wait for their ACK.
    struct Holding: SlotValue {
        static var nothing: Self { Self() }

        mutating func letGo() {
            outbox.removeAll()
            traceparent = ""
        }

        var attempt: Attempt { outbox.attempt }
        var running = true
        /// Whether its worker leaves and does not wait for its handler any longer: it is listed until BYE, or the coordinator
        /// would take it for one that never began, or was lost.
        var isGivenUp = false
        /// Whether the coordinator asked for its end.
        var isCancelled = false
        var nextNumber: UInt32 = 1
        /// Reports without ACK, in order.
        var outbox = Outbox()
        /// How many at the outbox's end were never sent.
        var unsent = 0
        /// Since when the oldest report that was sent waits for its ACK.
        var waitsSince: Moment?
        /// When the handler last said that its work goes on, or reported something.
        var progress: Moment?
        /// The W3C trace context of its events, or empty.
        var traceparent = ""
    }
}

extension WorkerMachine.Holding {
    /// Begins an attempt, in the place of one that was let go.
    mutating func begin(_ id: consuming AttemptID) {
        outbox.begin(id)
        running = true
        isGivenUp = false
        isCancelled = false
        nextNumber = 1
        unsent = 0
        waitsSince = nil
        progress = nil
    }

    /// What the lists of held attempts say of its progress.
    func progressAge(at now: Moment) -> UInt32 {
        guard let progress else { return HeldAttempt.noProgress }
        return min((now - progress).wireMilliseconds, HeldAttempt.noProgress - 1)
    }

    /// Takes what the handler of an attempt says, and numbers it: whether it is the first report that waits to be sent, or
    /// `nil` when nobody listens to that handler any more.
    mutating func take(
        _ event: consuming Payload?, of id: borrowing AttemptID, final: Bool, at now: Moment
    ) -> Bool? {
        guard attempt == id.attempt, running else { return nil }
        progress = now
        if final { running = false }
        if event == nil {
            if isCancelled {
                // A coordinator that begins after the one that said CANCEL may know nothing of that: it must not take the
                // end of a handler that was stopped for the end of the effect.
                let id = ReportID(attempt: copy id, number: nextNumber)
                outbox.append(FailureReport(id: id, retryable: true, reason: "it was cancelled"))
                return hasKept()
            }
            // The end joins the last report when that has not been sent: one record, applied and ended at once.
            if unsent > 0, outbox.endLast() { return false }
        }
        let traceparent = event == nil ? "" : traceparent
        outbox.append(number: nextNumber, final: final, event: event, traceparent: traceparent)
        return hasKept()
    }

    /// The same for a failure, which ends the handler.
    mutating func take(_ failure: consuming FailureReport, at now: Moment) -> Bool? {
        guard attempt == failure.id.attempt.attempt, running else { return nil }
        progress = now
        running = false
        failure.id.number = nextNumber
        outbox.append(failure)
        return hasKept()
    }

    /// Counts a report that was put into the outbox: whether it is the first that waits to be sent.
    private mutating func hasKept() -> Bool {
        nextNumber += 1
        unsent += 1
        return unsent == 1
    }

    /// Whether that was the last of it.
    mutating func acknowledge(_ attempt: Attempt, number: UInt32, at now: Moment) -> Bool {
        guard attempt == self.attempt else { return false }
        outbox.remove(number: number)
        unsent = min(unsent, outbox.count)
        waitsSince = outbox.count > unsent ? now : nil
        return outbox.isEmpty && !running && !isGivenUp
    }

    /// Hands out what was never sent, and counts as sent from now on.
    mutating func takeUnsent(at now: Moment, into reports: inout WorkerMachine.Reports) {
        guard unsent > 0 else { return }
        outbox.hand(from: outbox.count - unsent, to: &reports)
        unsent = 0
        waitsSince = waitsSince ?? now
    }

    /// Hands out all that waits, as if it had never been sent.
    mutating func takeAll(at now: Moment, into reports: inout WorkerMachine.Reports) {
        outbox.hand(from: 0, to: &reports)
        unsent = 0
        waitsSince = now
    }
}
