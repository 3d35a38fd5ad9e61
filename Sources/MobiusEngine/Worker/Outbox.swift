import DequeModule
import MobiusWire

extension WorkerMachine {
    /// A handler's report: an event, the end, or a failure.
    enum Report: Equatable, Sendable {
        case event(EventReport)
        case failure(FailureReport)

        /// The size of its event, which counts against the limit of waiting bytes.
        var bytes: Int {
            switch self {
            case .event(let report): report.event?.bytes.count ?? 0
            case .failure: 0
            }
        }
    }

    /// Reports to be sent, by the messages that contain them; within one attempt events precede the failure that ends
    /// it.
    struct Reports: Equatable, Sendable {
        var events: [EventReport] = []
        var failures: [FailureReport] = []
        /// The number of further reports, and of further bytes of events, of which the last report may exceed the rest.
        var room = Room.flush

        var isEmpty: Bool { events.isEmpty && failures.isEmpty }

        fileprivate mutating func append(_ report: EventReport) {
            room.reports -= 1
            room.bytes -= report.event?.bytes.count ?? 0
            events.append(report)
        }

        fileprivate mutating func append(_ report: FailureReport) {
            room.reports -= 1
            failures.append(report)
        }
    }

    /// The amount that is sent at once: the rest is sent with the next flush, so that no backlog delays a worker's
    /// heartbeats.
    struct Room: Equatable, Sendable {
        var reports: Int
        var bytes: Int

        /// The amount that all attempts send at once.
        static let flush = Room(reports: 1024, bytes: 1 << 20)
        /// The amount that one attempt sends at once, so that others are not delayed.
        static let attempt = Room(reports: 256, bytes: 256 << 10)
        /// The amount that one attempt sends again at once.
        static let again = Room(reports: 64, bytes: 256 << 10)

        var isOver: Bool { reports <= 0 || bytes <= 0 }
    }

    /// The reports of one attempt that wait for their ACK, in order.
    ///
    /// Their numbers are consecutive, so each is found in O(1). Nearly all handlers make one report, an event, which is
    /// stored inline: an array would be an allocation per effect.
    struct Outbox: Equatable, Sendable {
        // Not an optional: access to one part of it would copy all of it.
        /// The report of an event that came while the outbox was empty; its number is 0 while there is none.
        private var first = EventReport.blank
        /// Those behind it; `nil` where one was acknowledged before the first of them.
        private var others = Deque<Report?>()
        /// The number of the first of the others.
        private var othersFrom: UInt32 = 0
        /// The bytes of all events.
        private(set) var bytes = 0

        private var hasFirst: Bool { first.id.number > 0 }

        /// The attempt of the reports.
        var attempt: Attempt { first.id.attempt.attempt }

        /// Begins to take the reports of an attempt, while it is empty.
        mutating func begin(_ id: consuming AttemptID) {
            first.id.attempt = id
        }

        var isEmpty: Bool { !hasFirst && others.isEmpty }

        /// The number of the oldest, where it is not empty.
        var oldest: UInt32 { hasFirst ? first.id.number : othersFrom }

        /// Appends a report of an event, or of the end without one.
        mutating func append(number: UInt32, final: Bool, event: consuming Payload?, traceparent: String) {
            bytes += event?.bytes.count ?? 0
            guard isEmpty else {
                let id = ReportID(attempt: first.id.attempt, number: number)
                let report = EventReport(id: id, final: final, event: event, traceparent: traceparent)
                return append(.event(report), number: number)
            }
            first.id.number = number
            first.final = final
            first.event = event
            if !traceparent.isEmpty { first.traceparent = traceparent }
        }

        mutating func append(_ failure: FailureReport) {
            append(.failure(failure), number: failure.id.number)
        }

        private mutating func append(_ report: Report, number: UInt32) {
            if others.isEmpty { othersFrom = number }
            others.append(report)
        }

        /// Marks the last report as the handler's end, if it is an event.
        mutating func endLast() -> Bool {
            guard !others.isEmpty else {
                if hasFirst { first.final = true }
                return hasFirst
            }
            guard case .event(var event) = others[others.count - 1] else { return false }
            event.final = true
            others[others.count - 1] = .event(event)
            return true
        }

        /// Removes a report; returns the size of its event, or `nil` if there is no such report.
        mutating func remove(number: UInt32) -> Int? {
            let before = bytes
            if hasFirst, first.id.number == number {
                removeFirst()
                return before - bytes
            }
            guard number >= othersFrom, number - othersFrom < UInt32(others.count) else { return nil }
            let position = Int(number - othersFrom)
            guard let report = others[position] else { return nil }
            bytes -= report.bytes
            others[position] = nil
            while case .some(nil) = others.first {
                _ = others.popFirst()
                othersFrom += 1
            }
            return before - bytes
        }

        mutating func removeAll() {
            if hasFirst { removeFirst() }
            if !others.isEmpty { others = Deque() }
            bytes = 0
        }

        // Part by part, to avoid a copy.
        private mutating func removeFirst() {
            bytes -= first.event?.bytes.count ?? 0
            first.id.number = 0
            first.final = false
            first.event = nil
            first.traceparent = ""
        }

        /// Copies reports from a number on, as many as there is room for; returns the number of the first one that was
        /// not copied, or `nil` when all were.
        func hand(from number: UInt32, atMost room: Room, to reports: inout Reports) -> UInt32? {
            var number = number
            let stop = (reports: reports.room.reports - room.reports, bytes: reports.room.bytes - room.bytes)
            func isFull(_ reports: Reports) -> Bool {
                reports.room.isOver || reports.room.reports <= stop.reports || reports.room.bytes <= stop.bytes
            }
            if hasFirst, number <= first.id.number {
                if isFull(reports) { return number }
                reports.append(first)
                number = first.id.number + 1
            }
            guard !others.isEmpty else { return nil }
            number = max(number, othersFrom)
            while number - othersFrom < UInt32(others.count) {
                if isFull(reports) { return number }
                switch others[Int(number - othersFrom)] {
                case .event(let report): reports.append(report)
                case .failure(let failure): reports.append(failure)
                case nil: break
                }
                number += 1
            }
            return nil
        }
    }
}
