import Synchronization

/// Counts the entries at which iterations over whole tables look, so that the simulation sees what a step costs.
///
/// An iteration counts once, for all entries of its table: what looks up single entries costs nothing more.
package final class VisitCount: Sendable {
    private let number = Atomic<Int>(0)

    package init() {}

    /// The visits so far.
    package var value: Int { number.load(ordering: .relaxed) }

    func add(_ visits: Int) { number.wrappingAdd(visits, ordering: .relaxed) }
}
