/// Things that fall due, earliest first; of equal deadlines the one set first.
///
/// A binary heap: setting and taking cost O(log n). There is no removal: whoever takes a deadline checks whether it
/// still matters.
struct DeadlineQueue<Element: Equatable & Sendable>: Equatable, Sendable {
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

    /// The earliest deadline.
    var next: Moment? { heap.first?.moment }

    mutating func set(_ element: Element, at moment: Moment) {
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
    mutating func take(dueAt now: Moment) -> Element? {
        guard let first = heap.first, first.moment <= now else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return first.element
    }

    private mutating func sink() {
        var parent = 0
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
