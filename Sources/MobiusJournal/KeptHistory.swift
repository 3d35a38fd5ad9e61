package import MobiusWire

/// The part of the past that a journal keeps, beyond what recovery needs.
public enum KeptHistory: Hashable, Sendable {
    /// Nothing: records before the older of a loop's two snapshots are deleted.
    case needed
    /// The records in the window; older ones are deleted once recovery needs them no more.
    case window(HistoryWindow)
    /// Everything: no record is ever deleted.
    case all
}

/// The superseded records that a journal still keeps.
///
/// A loop's records go in segments, from one of its snapshots to the next, so that a snapshot from which models can be
/// computed stands at or before the first record of the window. A segment is superseded when its loop has two later
/// snapshots; until then recovery needs it. Segments are released in the order in which they were superseded.
public struct HistoryWindow: Hashable, Sendable {
    /// Segments superseded longer ago are released; `nil` for no such limit.
    ///
    /// All their events are older than that.
    public var age: Duration?
    /// The bytes of the journal that are in use beyond which segments are released; `nil` for no such limit.
    public var bytes: Int64?

    /// Describes a window; with two limits, a segment is released as soon as it is beyond either.
    ///
    /// Negative limits count as zero.
    public init(age: Duration? = nil, bytes: Int64? = nil) {
        self.age = age.map { max(.zero, $0) }
        self.bytes = bytes.map { max(0, $0) }
    }

    /// Whether the oldest segment may go.
    ///
    /// - Parameters:
    ///   - superseded: The time at which it was superseded.
    ///   - now: The time of the newest event of the journal; `nil` while none is known, when age releases nothing.
    ///   - used: The bytes of the journal that are in use.
    package func releases(superseded: WallTime, now: WallTime?, used: Int64) -> Bool {
        if let bytes, used > bytes { return true }
        guard let age, let now else { return false }
        let (past, overflow) = now.milliseconds.subtractingReportingOverflow(superseded.milliseconds)
        guard !overflow else { return now > superseded }
        return past > 0 && Duration.milliseconds(past) > age
    }
}

extension [[JournalRecord]] {
    /// The time of the newest event; `nil` when there are only notes.
    package var newestTime: WallTime? {
        for records in reversed() {
            for case .event(let event) in records.reversed() { return event.time }
        }
        return nil
    }
}
