package import MobiusEngine
package import MobiusWire

/// Decides which loop's model is encoded next for clients, and which requests it answers.
///
/// One model is encoded at a time, for all requests that wait for it. Encoded models wait for their commit, and no further
/// one is encoded while they have many bytes: so what clients request does not determine the memory. A watcher has no
/// state here but its request, which waits for the next event.
package struct ModelReads: Sendable {
    /// The time that a watcher's request waits for an event before it is answered with UNCHANGED.
    package static let patience = Duration.seconds(25)
    /// The time between two searches for overdue requests.
    private static let pause = Duration.seconds(1)
    /// The bytes of encoded models that may wait for their commit, beyond one model.
    package static let uncommittedBytes = 16 << 20

    private struct Readers {
        /// They get the next model that is encoded.
        var waiting: [RequestID] = []
        /// They wait for the next event, until this moment.
        var watching: [RequestID: Moment] = [:]
    }

    private var loops: [LoopID: Readers] = [:]
    /// The loops with waiting requests, in the order in which they are served.
    private var queue: [LoopID] = []
    /// The requests that the model being encoded answers; `nil` when none is being encoded.
    private var encoding: [RequestID]?
    private var bytes = 0
    private var watcherCount = 0
    /// The time at which overdue requests are searched next; `nil` without watchers.
    package private(set) var nextDeadline: Moment?

    /// Begins without readers.
    package init() {}

    /// Whether a request waits for the next event of the loop.
    package func isWatched(_ loop: LoopID) -> Bool { !loops.isEmpty && loops[loop]?.watching.isEmpty == false }

    /// Whether a request waits for a model of the loop.
    package func isRead(_ loop: LoopID) -> Bool { !loops.isEmpty && loops[loop] != nil }

    /// A request is to be answered with the current model, or a later one.
    package mutating func read(_ loop: LoopID, _ request: RequestID) {
        if loops[loop, default: Readers()].waiting.isEmpty { queue.append(loop) }
        loops[loop, default: Readers()].waiting.append(request)
    }

    /// A request is to be answered with the model after the next event.
    package mutating func watch(_ loop: LoopID, _ request: RequestID, at now: Moment) {
        loops[loop, default: Readers()].watching[request] = now + Self.patience
        watcherCount += 1
        if nextDeadline == nil { nextDeadline = now + Self.patience }
    }

    /// Removes a request that waits for the next event; returns `false` if it does not.
    package mutating func unwatch(_ loop: LoopID, _ request: RequestID) -> Bool {
        guard loops[loop]?.watching.removeValue(forKey: request) != nil else { return false }
        watcherCount -= 1
        forgetIfUnused(loop)
        return true
    }

    /// The loop has applied events.
    package mutating func changed(_ loop: LoopID) {
        guard let watching = loops[loop]?.watching, !watching.isEmpty else { return }
        loops[loop]?.watching = [:]
        watcherCount -= watching.count
        for request in watching.keys.sorted(by: { $0.number < $1.number }) { read(loop, request) }
    }

    /// The loop whose model is to be encoded now; its requests are answered by ``encoded(bytes:)``.
    package mutating func next() -> LoopID? {
        guard encoding == nil, bytes < Self.uncommittedBytes, !queue.isEmpty else { return nil }
        let loop = queue.removeFirst()
        encoding = loops[loop]?.waiting ?? []
        loops[loop]?.waiting = []
        forgetIfUnused(loop)
        return loop
    }

    /// The model is encoded and has this many bytes, which count until ``sent(bytes:)``.
    ///
    /// - Returns: the requests to answer.
    package mutating func encoded(bytes count: Int) -> [RequestID] {
        bytes += count
        defer { encoding = nil }
        return encoding ?? []
    }

    /// An encoded model was sent to its clients.
    package mutating func sent(bytes count: Int) { bytes -= count }

    /// Removes the loop, which can no longer be read.
    ///
    /// - Returns: its requests that no model being encoded will answer.
    package mutating func remove(_ loop: LoopID) -> [RequestID] {
        let readers = removeReaders(of: loop)
        return readers.waiting + readers.watching
    }

    /// The same, with the requests that wait for the next event apart.
    package mutating func removeReaders(of loop: LoopID) -> (waiting: [RequestID], watching: [RequestID]) {
        guard let readers = loops.removeValue(forKey: loop) else { return ([], []) }
        queue.removeAll { $0 == loop }
        watcherCount -= readers.watching.count
        return (readers.waiting, readers.watching.keys.sorted { $0.number < $1.number })
    }

    /// Removes the watchers' requests that have waited too long.
    package mutating func expired(at now: Moment) -> [RequestID] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        var expired: [RequestID] = []
        for (loop, readers) in loops where !readers.watching.isEmpty {
            for (request, end) in readers.watching where end <= now {
                loops[loop]?.watching[request] = nil
                expired.append(request)
            }
            forgetIfUnused(loop)
        }
        watcherCount -= expired.count
        self.nextDeadline = watcherCount == 0 ? nil : now + Self.pause
        return expired.sorted { $0.number < $1.number }
    }

    private mutating func forgetIfUnused(_ loop: LoopID) {
        if let readers = loops[loop], readers.waiting.isEmpty, readers.watching.isEmpty { loops[loop] = nil }
    }
}
