import Synchronization

/// Lets the journal thread do at the edge what a commit sets free, while the edge runs.
final class EdgeDoor: Sendable {
    /// The edge, which says itself whose turn it is.
    // @unchecked Sendable: nothing but its `stepIn()` is used here, which takes a turn before it touches anything.
    private struct Opening: @unchecked Sendable {
        let edge: CoordinatorEdge
    }

    private let opening = Mutex<Opening?>(nil)

    func open(to edge: CoordinatorEdge) {
        opening.withLock { $0 = Opening(edge: edge) }
    }

    func close() {
        opening.withLock { $0 = nil }
    }

    /// Whether what was posted to the host's mailbox has been taken.
    func stepIn() -> Bool {
        guard let opening = opening.withLock({ $0 }) else { return false }
        return opening.edge.stepIn()
    }
}
