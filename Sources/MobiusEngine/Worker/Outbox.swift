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
    /// Nearly all handlers make one, which lies in place: an array for it would be an allocation for each effect.
    struct Outbox: Equatable, Sendable {
        private var first: Report?
        /// Those behind the first; empty without one.
        private var others: [Report] = []

        private(set) var count = 0

        var isEmpty: Bool { count == 0 }

        @inline(__always)
        mutating func append(_ report: consuming Report) {
            if isEmpty {
                first = report
            } else {
                others.append(report)
            }
            count += 1
        }

        /// Makes the last report the handler's end, if it is one of an event.
        mutating func endLast() -> Bool {
            guard case .event(var last)? = others.last ?? first else { return false }
            last.final = true
            if others.isEmpty {
                first = .event(last)
            } else {
                others[others.count - 1] = .event(last)
            }
            return true
        }

        mutating func remove(number: UInt32) {
            if first?.number == number {
                first = others.isEmpty ? nil : others.removeFirst()
            } else {
                others.removeAll { $0.number == number }
            }
            count = first.map { _ in 1 + others.count } ?? 0
        }

        /// Copies the reports from a position on.
        func hand(from position: Int, to reports: inout Reports) {
            if position == 0 {
                switch first {
                case .event(let event): reports.events.append(event)
                case .failure(let failure): reports.failures.append(failure)
                case nil: break
                }
            }
            guard !others.isEmpty else { return }
            for report in others.dropFirst(max(0, position - 1)) {
                switch report {
                case .event(let event): reports.events.append(event)
                case .failure(let failure): reports.failures.append(failure)
                }
            }
        }
    }
}
