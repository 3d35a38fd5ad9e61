import MobiusWire

extension WorkerMachine {
    /// One attempt: its handler, and the reports that wait for their ACK.
    struct Holding: Equatable, Sendable {
        let attempt: Attempt
        var running = true
        /// Whether the coordinator asked for its end.
        var isCancelled = false
        var nextNumber: UInt32 = 1
        /// Reports without ACK, in order.
        var outbox: [Report] = []
        /// How many at the outbox's end were never sent.
        var unsent = 0
        /// Since when the oldest report that was sent waits for its ACK.
        var waitsSince: Moment?
        /// When the handler last said that its work goes on, or reported something.
        var progress: Moment?
        /// The W3C trace context of its events, or empty.
        var traceparent = ""
    }

    enum Report: Equatable, Sendable {
        case event(EventReport)
        case failure(FailureReport)

        var id: ReportID {
            switch self {
            case .event(let report): report.id
            case .failure(let report): report.id
            }
        }
    }
}

extension WorkerMachine.Holding {
    /// What the lists of held attempts say of its progress.
    func progressAge(at now: Moment) -> UInt32 {
        guard let progress else { return HeldAttempt.noProgress }
        return min((now - progress).wireMilliseconds, HeldAttempt.noProgress - 1)
    }

    /// Takes what the handler of `id` says: whether it is the first that waits to be sent, or `nil` when nobody listens
    /// to that handler any more.
    mutating func report(_ id: AttemptID, final: Bool, _ make: (ReportID) -> WorkerMachine.Report) -> Bool? {
        guard attempt == id.attempt, running else { return nil }
        if final { running = false }
        var report = make(ReportID(attempt: id, number: nextNumber))
        if case .event(let end) = report, end.final, end.event == nil {
            if isCancelled {
                // A coordinator that begins after the one that said CANCEL may know nothing of that: it must not take the
                // end of a handler that was stopped for the end of the effect.
                report = .failure(FailureReport(id: end.id, retryable: true, reason: "it was cancelled"))
            } else if endsWithLastReport() {
                return false
            }
        }
        if !traceparent.isEmpty, case .event(var traced) = report, traced.event != nil {
            traced.traceparent = traceparent
            report = .event(traced)
        }
        nextNumber += 1
        outbox.append(report)
        unsent += 1
        return unsent == 1
    }

    /// The end joins the last report when that has not been sent: one record, applied and ended at once.
    private mutating func endsWithLastReport() -> Bool {
        guard unsent > 0, case .event(var last)? = outbox.last else { return false }
        last.final = true
        outbox[outbox.count - 1] = .event(last)
        return true
    }

    /// Whether that was the last of it.
    mutating func acknowledge(_ report: ReportID, at now: Moment) -> Bool {
        guard attempt == report.attempt.attempt else { return false }
        outbox.removeAll { $0.id.number == report.number }
        unsent = min(unsent, outbox.count)
        waitsSince = outbox.count > unsent ? now : nil
        return outbox.isEmpty && !running
    }

    mutating func takeUnsent(at now: Moment, into reports: inout [WorkerMachine.Report]) {
        guard unsent > 0 else { return }
        reports.append(contentsOf: outbox.suffix(unsent))
        unsent = 0
        waitsSince = waitsSince ?? now
    }
}
