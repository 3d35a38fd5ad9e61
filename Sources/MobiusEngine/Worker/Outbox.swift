import MobiusWire

extension WorkerMachine {
    /// A report of an event, or of the end without one, without the name of its attempt, which whoever keeps it knows.
    struct Draft: Equatable, Sendable {
        var number: UInt32
        var final: Bool
        var event: Payload?
        var traceparent: String

        /// Appends the report, of which attempt it is.
        func hand(of effect: consuming EffectID, _ attempt: Attempt, to reports: inout [EventReport]) {
            reports.append(
                of: consume effect, attempt, number: number, final: final, event: event, traceparent: traceparent)
        }
    }

    /// What a handler made known, by an event or the end, or by a failure.
    enum Report: Equatable, Sendable {
        case event(Draft)
        case failure(FailureReport)

        var number: UInt32 {
            switch self {
            case .event(let draft): draft.number
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
        private var first = Draft(number: 0, final: false, event: nil, traceparent: "")
        /// Those behind it.
        private var others: [Report] = []

        private var hasFirst: Bool { first.number > 0 }

        var isEmpty: Bool { count == 0 }

        var count: Int { (hasFirst ? 1 : 0) + others.count }

        /// Appends a report of an event, or of the end without one.
        mutating func append(_ draft: consuming Draft) {
            if isEmpty { first = draft } else { others.append(.event(draft)) }
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
            if hasFirst, first.number == number {
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
            first.number = 0
            first.final = false
            first.event = nil
            first.traceparent = ""
        }

        /// Copies the reports from a position on, of which attempt they are.
        func hand(from position: Int, of effect: consuming EffectID, _ attempt: Attempt, to reports: inout Reports) {
            let handsFirst = hasFirst && position == 0
            guard !others.isEmpty else {
                if handsFirst { first.hand(of: consume effect, attempt, to: &reports.events) }
                return
            }
            if handsFirst { first.hand(of: copy effect, attempt, to: &reports.events) }
            for report in others.dropFirst(max(0, position - (hasFirst ? 1 : 0))) {
                switch report {
                case .event(let draft): draft.hand(of: copy effect, attempt, to: &reports.events)
                case .failure(let failure): reports.failures.append(failure)
                }
            }
        }
    }
}
