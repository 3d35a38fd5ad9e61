import MobiusWire

extension WorkerMachine {
    /// What a handler made known, by an event or the end, or by a failure.
    enum Report: Equatable, Sendable {
        case event(EventReport)
        case failure(FailureReport)

        var number: UInt32 {
            switch self {
            case .event(let report): report.id.number
            case .failure(let report): report.id.number
            }
        }
    }

    /// Reports to be sent, by the messages they travel in; within one attempt events precede the failure that ends it.
    struct Reports: Equatable, Sendable {
        var events: [EventReport] = []
        var failures: [FailureReport] = []
    }

    /// The reports of one attempt that wait for their ACK, in order.
    ///
    /// Nearly all handlers make one, an event's, which lies in place: an array for it would be an allocation for each effect.
    struct Outbox: Equatable, Sendable {
        // Not an optional: of that, a look at one part would copy all of it.
        /// That of an event that came while nothing waited, if there is one.
        private var first = EventReport.blank
        private var hasFirst = false
        /// Those behind it.
        private var others: [Report] = []

        var isEmpty: Bool { count == 0 }

        var count: Int { (hasFirst ? 1 : 0) + others.count }

        /// Appends a report of an event, or of the end without one.
        mutating func append(_ id: ReportID, final: Bool, event: consuming Payload?, traceparent: String) {
            guard isEmpty else {
                others.append(.event(EventReport(id: id, final: final, event: event, traceparent: traceparent)))
                return
            }
            hasFirst = true
            // Filled in where it is: one that was made elsewhere would be copied to its place.
            first.id = id
            first.final = final
            first.event = event
            first.traceparent = traceparent
        }

        mutating func append(_ failure: FailureReport) {
            others.append(.failure(failure))
        }

        /// Makes the last report the handler's end, if it is one of an event.
        mutating func endLast() -> Bool {
            guard let last = others.indices.last else {
                first.final = true
                return hasFirst
            }
            guard case .event(var event) = others[last] else { return false }
            event.final = true
            others[last] = .event(event)
            return true
        }

        mutating func remove(number: UInt32) {
            if hasFirst, first.id.number == number {
                hasFirst = false
                first = .blank
            } else {
                others.removeAll { $0.number == number }
            }
        }

        /// Copies the reports from a position on.
        func hand(from position: Int, to reports: inout Reports) {
            if hasFirst, position == 0 { reports.events.append(first) }
            guard !others.isEmpty else { return }
            for report in others.dropFirst(max(0, position - (hasFirst ? 1 : 0))) {
                switch report {
                case .event(let event): reports.events.append(event)
                case .failure(let failure): reports.failures.append(failure)
                }
            }
        }
    }
}
