/// A first-in, first-out queue whose operations cost O(1) on average.
struct FIFO<Element: Equatable & Sendable>: Equatable, Sendable {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Puts elements before all others, keeping their order.
    mutating func prepend(_ first: [Element]) {
        elements.replaceSubrange(0..<head, with: first)
        head = 0
    }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let first = elements[head]
        elements[head] = nil
        head += 1
        if head > 64, head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }

    static func == (lhs: FIFO, rhs: FIFO) -> Bool {
        lhs.elements[lhs.head...] == rhs.elements[rhs.head...]
    }
}
