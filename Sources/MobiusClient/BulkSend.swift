import Foundation
import MobiusCore
package import MobiusWire

/// Sends many events, those of a loop in order, without waiting for each answer.
///
/// A bounded number of events is on the way at once. An event counts as applied after its commit. Events of one loop are applied in
/// the order in which they were given. With `skipsRefused` one that the coordinator refuses is counted and left out; otherwise
/// nothing more is sent, and events behind it that were on the way may be applied or be refused, too. What the program refuses is on disk, and counted apart. Used by one thread, which it blocks
/// while the window is full; answers arrive on the client's thread.
package final class BulkSend: Sendable {
    /// An event of a line.
    package struct Item: Sendable {
        /// The number of its line, from 1 and ascending.
        package let line: UInt64
        let loop: LoopID
        let key: String
        let event: Payload

        /// Makes an event; the key has 1 to 255 bytes.
        package init(line: UInt64, loop: LoopID, key: String, event: Payload) {
            self.line = line
            self.loop = loop
            self.key = key
            self.event = event
        }
    }

    /// The outcome of the lines so far.
    package struct Report: Sendable {
        /// Events that were applied.
        package internal(set) var applied = 0
        /// Events that had been applied before.
        package internal(set) var repeated = 0
        /// Events that an operator dropped before.
        package internal(set) var dropped = 0
        /// Events that the coordinator refused, and lines that are no event, which were left out.
        package internal(set) var skipped = 0
        /// Events that the program refused: they are on disk.
        package internal(set) var refused = 0
        /// The first of those, by their lines.
        package internal(set) var refusals: [(line: UInt64, reason: String)] = []
        /// The first line that failed, and why.
        package internal(set) var failure: (line: UInt64, error: FleetClientError)?
        /// The lines that the coordinator refused, of those that were not left out: the first ones, in their order.
        package internal(set) var refusedLines: [(line: UInt64, error: FleetClientError)] = []
        /// Up to which line all are done.
        package internal(set) var lastLine: UInt64
        /// Whether anything was ever answered.
        package internal(set) var isAnswered = false
    }

    /// Events on the way at once: fewer than libzmq queues, and than a coordinator takes from one client.
    package static let window = 768
    /// The refusals by the program, and those by the coordinator, that a report contains.
    package static let shownRefusals = 10
    /// The bytes of these events, beyond one batch.
    private static let windowBytes = 8 << 20
    /// Events, and bytes of them, that are handed to the client's thread at once.
    private static let (batch, batchBytes) = (96, 1 << 20)

    private let client: FleetClient
    private let begins: Bool
    private let skipsRefused: Bool
    private let patience: Duration
    /// Called with each skipped line and the reason, on the client's thread.
    private let skipped: @Sendable (UInt64, String) -> Void
    // Accessed only with the condition's lock held, except `batch`.
    private let condition = MonotonicCondition()
    nonisolated(unsafe) private var report: Report
    /// The lines on the way, ascending, and which of them are done.
    nonisolated(unsafe) private var onTheWay: [(line: UInt64, bytes: Int, isDone: Bool)] = []
    nonisolated(unsafe) private var first = 0
    nonisolated(unsafe) private var count = 0
    nonisolated(unsafe) private var bytes = 0
    /// Given events that were not handed over yet; only the sending thread uses them.
    nonisolated(unsafe) private var items: [Item] = []
    nonisolated(unsafe) private var itemBytes = 0

    /// Makes a sender.
    ///
    /// - Parameters:
    ///   - client: Has a window of at least ``window``.
    ///   - begins: Whether loops that do not exist begin with their first event.
    ///   - after: The line before the first one, which counts as done.
    ///   - skipsRefused: Whether refused events are left out.
    ///   - skipped: Called with each of those.
    package init(
        _ client: FleetClient, begins: Bool, after line: UInt64, skipsRefused: Bool,
        skipped: @escaping @Sendable (UInt64, String) -> Void
    ) {
        self.client = client
        self.begins = begins
        self.skipsRefused = skipsRefused
        self.skipped = skipped
        patience = client.timeout
        report = Report(lastLine: line)
    }

    /// The current report.
    package var current: Report { withLock { report } }

    /// Gives an event; blocks while too many are on the way.
    ///
    /// - Returns: whether to go on; `false` after a failure.
    package func send(_ item: Item) -> Bool {
        items.append(item)
        itemBytes += item.event.bytes.count
        return items.count < Self.batch && itemBytes < Self.batchBytes ? withLock { report.failure == nil } : flush()
    }

    /// Counts a line that is no event as left out.
    package func skip(_ line: UInt64, _ reason: String) {
        skipped(line, reason)
        withLock { report.skipped += 1 }
    }

    /// Hands over what was given; call it before waiting for more input.
    package func flush() -> Bool {
        guard !items.isEmpty else { return withLock { report.failure == nil } }
        guard wait(until: { Self.window - count >= items.count && bytes < Self.windowBytes }) else { return false }
        withLock {
            count += items.count
            bytes += itemBytes
            onTheWay += items.map { ($0.line, $0.event.bytes.count, false) }
        }
        let given = items
        items.removeAll(keepingCapacity: true)
        itemBytes = 0
        let order: SendOrder = skipsRefused ? .ordered : .chained
        // The progress as a whole is watched instead of each request.
        let deadline = ContinuousClock.Instant.now + .seconds(1 << 30)
        client.lanes.post(given.count) { place, number in
            let item = given[place]
            let request = ClientRequest.send(loop: item.loop, key: item.key, event: item.event, begins: begins)
            return ClientCall(
                request: NumberedRequest(number: number, request: request, order: order), deadline: deadline,
                reply: .bulk(self, line: item.line, loop: item.loop))
        }
        return true
    }

    /// Waits until all events are answered, or one failed.
    package func finish() -> Report {
        if flush() { _ = wait { count == 0 } }
        // A refusal comes at once, but events before it are answered after their commit, and so are those of other shards.
        let (failed, isRefusal) = withLock { (report.failure?.line, !report.refusedLines.isEmpty) }
        guard let failed else { return current }
        _ = wait(evenAfterFailure: true) {
            isRefusal ? count == 0 : first == onTheWay.count || onTheWay[first].line >= failed
        }
        return current
    }

    // MARK: - Answers

    /// An event's request has ended; called on the client's thread.
    func receive(_ outcome: ClientMachine.Outcome, for line: UInt64, _ loop: LoopID) {
        var refused: String?
        withLock {
            count -= 1
            report.isAnswered = true
            switch outcome {
            case .answered(.done(let confirmation), _):
                if case .refusal(let reason) = confirmation.reply {
                    note(refusal: reason, of: line)
                } else if confirmation.repeated {
                    report.repeated += 1
                } else {
                    report.applied += 1
                }
                done(line)
            case .answered(.dropped, _):
                report.dropped += 1
                done(line)
            case .answered(.refused(let refusal), _) where skipsRefused && refusal.code != .forbidden:
                refused = refusal.reason
                report.skipped += 1
                done(line)
            case .answered(.notFound, _) where skipsRefused:
                refused = "there is no loop \(loop)"
                report.skipped += 1
                done(line)
            case .answered(let answer, _):
                let error = client.unexpected(answer, "loop \(loop)")
                fail(line, error)
                if [.refused, .conflict, .notFound].contains(error.code) {
                    report.refusedLines.append((line, error))
                    report.refusedLines.sort { $0.line < $1.line }
                    report.refusedLines = Array(report.refusedLines.prefix(Self.shownRefusals))
                }
            default: fail(line, client.error(for: outcome, of: .status, after: client.timeout))
            }
            if count <= Self.window - Self.batch || count == 0 || report.failure != nil { condition.signal() }
        }
        if let refused { skipped(line, refused) }
    }

    /// Answers come mostly in order.
    private func note(refusal reason: String, of line: UInt64) {
        report.refused += 1
        if report.refusals.count == Self.shownRefusals {
            guard let last = report.refusals.last, line < last.line else { return }
            report.refusals.removeLast()
        }
        let place = report.refusals.firstIndex { line < $0.line } ?? report.refusals.count
        report.refusals.insert((line, reason), at: place)
    }

    private func fail(_ line: UInt64, _ error: FleetClientError) {
        guard report.failure.map({ line < $0.line }) ?? true else { return }
        report.failure = (line, error)
    }

    private func done(_ line: UInt64) {
        // Answers come mostly in order.
        var place = first
        if onTheWay[place].line != line {
            var high = onTheWay.count
            while place < high {
                let middle = place + (high - place) / 2
                if onTheWay[middle].line < line { place = middle + 1 } else { high = middle }
            }
        }
        guard place < onTheWay.count, onTheWay[place].line == line else { return }
        onTheWay[place].isDone = true
        bytes -= onTheWay[place].bytes
        while first < onTheWay.count, onTheWay[first].isDone {
            report.lastLine = onTheWay[first].line
            first += 1
        }
        if first > 4096 {
            onTheWay.removeFirst(first)
            first = 0
        }
    }

    /// Blocks until the condition holds.
    ///
    /// - Returns: `false` after a failure, which is also no answer at all for the client's time-out.
    private func wait(evenAfterFailure: Bool = false, until isMet: () -> Bool) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        var end = ContinuousClock.now + patience
        var before = count
        while !isMet(), evenAfterFailure || report.failure == nil {
            if condition.wait(for: ContinuousClock.now.duration(to: end)) || count != before {
                if count != before { end = .now + patience }
                before = count
            } else if .now >= end {
                if evenAfterFailure { return false }
                let outcome: ClientMachine.Outcome = report.isAnswered ? .timedOut(busy: false) : .unreachable
                fail(report.lastLine + 1, client.error(for: outcome, of: .status, after: client.timeout))
            }
        }
        return report.failure == nil
    }

    private func withLock<Value>(_ body: () -> Value) -> Value {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }
}
