/// A binary heap: the least element is at hand, and inserting and removing cost O(log n).
struct MinHeap<Element: Comparable & Sendable>: Equatable, Sendable {
    private var elements: [Element] = []

    /// The least element.
    var first: Element? { elements.first }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard elements[child] < elements[parent] else { break }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes the least element.
    mutating func removeFirst() {
        let last = elements.removeLast()
        if !elements.isEmpty { replaceFirst(by: last) }
    }

    /// Puts another element in the place of the least one.
    mutating func replaceFirst(by element: Element) {
        elements[0] = element
        sink(from: 0)
    }

    /// Removes elements; costs O(n).
    mutating func removeAll(where isObsolete: (Element) -> Bool) {
        elements.removeAll(where: isObsolete)
        for parent in (0..<elements.count / 2).reversed() { sink(from: parent) }
    }

    private mutating func sink(from start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < elements.count && elements[child] < elements[least] {
                least = child
            }
            guard least != parent else { return }
            elements.swapAt(parent, least)
            parent = least
        }
    }
}
