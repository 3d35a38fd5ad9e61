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
        /// That of an event that came while nothing waited, if there is one; its number is 0 while there is none.
        private var first = EventReport.blank
        /// Those behind it.
        private var others: [Report] = []

        private var hasFirst: Bool { first.id.number > 0 }

        /// Whose reports they are.
        var attempt: Attempt { first.id.attempt.attempt }

        /// Begins, while it is empty, to take the reports of an attempt.
        mutating func begin(_ id: consuming AttemptID) {
            first.id.attempt = id
        }

        var isEmpty: Bool { count == 0 }

        var count: Int { (hasFirst ? 1 : 0) + others.count }

        /// Appends a report of an event, or of the end without one.
        mutating func append(number: UInt32, final: Bool, event: consuming Payload?, traceparent: String) {
            guard isEmpty else {
                let id = ReportID(attempt: first.id.attempt, number: number)
                others.append(.event(EventReport(id: id, final: final, event: event, traceparent: traceparent)))
                return
            }
            first.id.number = number
            first.final = final
            first.event = event
            if !traceparent.isEmpty { first.traceparent = traceparent }
        }

        mutating func append(_ failure: FailureReport) {
            others.append(.failure(failure))
        }

        /// Makes the last report the handler's end, if it is one of an event.
        mutating func endLast() -> Bool {
            guard let last = others.indices.last else {
                if hasFirst { first.final = true }
                return hasFirst
            }
            guard case .event(var event) = others[last] else { return false }
            event.final = true
            others[last] = .event(event)
            return true
        }

        mutating func remove(number: UInt32) {
            if hasFirst, first.id.number == number {
                removeFirst()
            } else {
                others.removeAll { $0.number == number }
            }
        }

        mutating func removeAll() {
            if hasFirst { removeFirst() }
            if !others.isEmpty { others = [] }
        }

        // Part by part: what takes no memory is set where it is.
        private mutating func removeFirst() {
            first.id.number = 0
            first.final = false
            first.event = nil
            first.traceparent = ""
        }

        /// Copies the reports from a position on.
        func hand(from position: Int, to reports: inout Reports) {
            if hasFirst && position == 0 { reports.events.append(first) }
            guard !others.isEmpty else { return }
            for report in others.dropFirst(max(0, position - (hasFirst ? 1 : 0))) {
                switch report {
                case .event(let report): reports.events.append(report)
                case .failure(let failure): reports.failures.append(failure)
                }
            }
        }
    }
}
