/// Deadlines, earliest first; of equal ones the one set first.
///
/// A binary heap: setting and taking cost O(log n). swift-collections' `Heap` has two ends, and made the coordinator's machine
/// execute 5 to 7 % more instructions for each effect. Single deadlines are not removed: the caller checks whether a
/// deadline that it takes is obsolete, and sweeps obsolete ones from time to time.
package struct DeadlineQueue<Element: Equatable & Sendable>: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        let moment: Moment
        let order: UInt64
        let element: Element

        func isBefore(_ other: Entry) -> Bool {
            (moment, order) < (other.moment, other.order)
        }
    }

    private var heap: [Entry] = []
    private var nextOrder: UInt64 = 0

    package init() {}

    /// The number of deadlines that are set.
    package var count: Int { heap.count }

    /// All of them, in no order.
    package var all: [(element: Element, moment: Moment)] { heap.map { ($0.element, $0.moment) } }

    /// The earliest deadline.
    @inline(__always)
    package var next: Moment? { heap.first?.moment }

    package mutating func set(_ element: Element, at moment: Moment) {
        heap.append(Entry(moment: moment, order: nextOrder, element: element))
        nextOrder += 1
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].isBefore(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the earliest element that is due, or `nil`.
    package mutating func pop(dueAt now: Moment) -> Element? { popEntry(dueAt: now)?.element }

    /// Removes and returns the earliest element that is due and when it was, or `nil`.
    package mutating func popEntry(dueAt now: Moment) -> (element: Element, moment: Moment)? {
        guard let first = heap.first, first.moment <= now else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink(from: 0)
        }
        return (first.element, first.moment)
    }

    /// Removes obsolete elements; costs O(n).
    package mutating func sweep(keeping matters: (Element) -> Bool) {
        sweep { element, _ in matters(element) }
    }

    /// Removes obsolete elements, by their moments; costs O(n).
    package mutating func sweep(keeping matters: (Element, Moment) -> Bool) {
        heap.removeAll { !matters($0.element, $0.moment) }
        for parent in (0..<heap.count / 2).reversed() { sink(from: parent) }
    }

    private mutating func sink(from start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].isBefore(heap[least]) {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
