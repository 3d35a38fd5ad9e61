package import MobiusEngine

/// The planned actions, ordered by time; actions at the same time keep the order in which they were planned.
///
/// It is a binary heap: planning an action and taking one are O(log n).
package struct EventQueue<Subject> {
    private struct Entry {
        let moment: Moment
        let order: UInt64
        let act: (Subject) -> Void

        func isBefore(_ other: Entry) -> Bool { (moment, order) < (other.moment, other.order) }
    }

    private var heap: [Entry] = []
    private var lastOrder: UInt64 = 0

    package init() {}

    /// The time of the next action.
    package var next: Moment? { heap.first?.moment }

    package mutating func plan(at moment: Moment, _ act: @escaping (Subject) -> Void) {
        lastOrder += 1
        heap.append(Entry(moment: moment, order: lastOrder, act: act))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].isBefore(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    package mutating func pop() -> ((Subject) -> Void)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first.act }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].isBefore(heap[least])
            {
                least = child
            }
            guard least != parent else { return first.act }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
