public import MobiusWire

/// A loop that has left memory: it has no pending effect, and all its records are on disk.
///
/// The start of a coordinator does not read it; it returns with its next event or request.
public struct IdleLoop: Equatable, Sendable {
    /// Its name.
    public var loop: LoopID
    /// The number of its last event.
    public var sequence: UInt64
    /// The time at which its last event was applied; `nil` when that is unknown.
    public var time: WallTime?

    /// Describes an idle loop.
    public init(loop: LoopID, sequence: UInt64, time: WallTime? = nil) {
        self.loop = loop
        self.sequence = sequence
        self.time = time
    }
}

/// The number of idle loops, and of their events.
public struct IdleTotals: Equatable, Sendable {
    /// The number of idle loops.
    public var loops: UInt64
    /// The sum of the numbers of their last events.
    public var events: UInt64

    /// Counts loops and events; none by default.
    public init(loops: UInt64 = 0, events: UInt64 = 0) {
        self.loops = loops
        self.events = events
    }

    /// Adds an idle loop.
    package mutating func add(sequence: UInt64) {
        loops += 1
        events = events.addingReportingOverflow(sequence).partialValue
    }

    /// Removes an idle loop.
    package mutating func remove(sequence: UInt64) {
        loops -= min(1, loops)
        events = events.subtractingReportingOverflow(sequence).partialValue
    }
}

/// A loop in a page of ``JournalReading/loopPage(prefix:after:limit:)``.
public struct StoredLoop: Equatable, Sendable {
    /// Its name.
    public var loop: LoopID
    /// Its last event, if the loop is idle; `nil` for an active one.
    public var idle: IdleLoop?

    /// Describes a loop of the journal.
    public init(loop: LoopID, idle: IdleLoop? = nil) {
        self.loop = loop
        self.idle = idle
    }
}

extension JournalReading {
    /// All loops, for a reader that does not know which are idle.
    public func activeLoops() throws(JournalError) -> [LoopID] { try loops() }

    /// None, for a reader that does not know which are idle.
    public func idleTotals() throws(JournalError) -> IdleTotals { IdleTotals() }

    /// Searches the list of all loops.
    public func contains(_ loop: LoopID) throws(JournalError) -> Bool { try loops().contains(loop) }

    /// Sorts and searches the list of all loops, which all count as active.
    public func loopPage(prefix: String, after: LoopID?, limit: Int) throws(JournalError) -> [StoredLoop] {
        Array(StoredLoop.sorted(try loops(), prefix: prefix, after: after).prefix(limit)).map { StoredLoop(loop: $0) }
    }

    /// Searches the list of all loops.
    public func loopCount(ofKind kind: String) throws(JournalError) -> Int {
        try loops().count { $0.name.utf8.starts(with: "\(kind)/".utf8) }
    }

    /// Calls `body` only.
    public func together(_ body: () -> Void) { body() }

    /// Asks for each loop.
    public func deadLetterCounts() throws(JournalError) -> [LoopID: Int] {
        var counts: [LoopID: Int] = [:]
        guard try deadLetterCount(of: nil) > 0 else { return counts }
        for loop in try loops() {
            let count = try deadLetterCount(of: loop)
            if count > 0 { counts[loop] = count }
        }
        return counts
    }
}

extension JournalStore {
    /// Saves the snapshots, for a store that does not know which loops are idle: its next start reads all of them.
    public func park(_ loops: [IdleLoop], _ snapshots: [Snapshot]) throws(JournalError) {
        for snapshot in snapshots { try save(snapshot) }
    }
}

extension StoredLoop {
    /// The names behind `after` that begin with `prefix`, ordered by their bytes.
    static func sorted(_ loops: [LoopID], prefix: String, after: LoopID?) -> [LoopID] {
        loops.filter { loop in
            loop.name.utf8.starts(with: prefix.utf8) && after?.precedes(loop) ?? true
        }.sorted { $0.precedes($1) }
    }
}
