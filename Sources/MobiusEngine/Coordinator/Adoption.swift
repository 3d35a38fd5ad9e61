package import MobiusWire

/// The time after a start in which workers may show that they hold effects of the journal, which run nowhere else until it ends.
package struct Adoption: Sendable {
    package init() {}

    /// The end of it; `nil` before its beginning and after its end.
    package private(set) var ends: Moment?
    /// Whether it begins with the next flush, when the workers' messages are read.
    private var isPlanned = false
    /// The workers that may hold effects of the journal and have not joined; `nil` when nobody knows them.
    private var possibleHolders: Set<Incarnation>?

    /// Whether effects wait for their workers.
    package var isOpen: Bool { ends != nil || isPlanned }

    /// Effects were recovered that workers may hold.
    package mutating func plan() { isPlanned = true }

    /// Only these workers may hold effects.
    package mutating func expect(_ workers: [Incarnation]) { possibleHolders = Set(workers) }

    /// Begins it, if it is planned; not for longer than somebody may come.
    package mutating func begin(_ grace: Duration, at now: Moment) {
        guard isPlanned else { return }
        isPlanned = false
        ends = possibleHolders?.isEmpty == true ? now : now + grace
    }

    /// A worker has joined and listed what it holds.
    package mutating func joined(_ worker: Incarnation, at now: Moment) {
        possibleHolders?.remove(worker)
        if possibleHolders?.isEmpty == true, ends != nil { ends = now }
    }

    /// The coordinator did not run for a while.
    package mutating func extend(by pause: Duration) { ends = ends.map { $0 + pause } }

    /// Returns whether it is over now.
    package mutating func isOver(at now: Moment) -> Bool {
        guard let ends, ends <= now else { return false }
        self.ends = nil
        return true
    }
}
