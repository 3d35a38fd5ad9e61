/// A first-in, first-out queue whose operations cost O(1) on average.
package struct FIFO<Element: Equatable & Sendable>: Equatable, Sendable {
    private var elements: [Element?] = []
    private var head = 0

    package init() {}

    package var isEmpty: Bool { head == elements.count }
    package var count: Int { elements.count - head }

    package var first: Element? { head < elements.count ? elements[head] : nil }

    /// All of them, in their order.
    package var all: [Element] { elements[head...].compactMap(\.self) }

    /// The element at this distance from the first.
    package subscript(position: Int) -> Element {
        get {
            guard let element = elements[head + position] else { preconditionFailure("There are fewer elements.") }
            return element
        }
        set { elements[head + position] = newValue }
    }

    package mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Prepends elements in their order; costs O(n) when there is no free room at the front.
    package mutating func prepend(_ first: [Element]) {
        elements.replaceSubrange(0..<head, with: first)
        head = 0
    }

    package mutating func popFirst() -> Element? {
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

    /// Removes obsolete elements; costs O(n).
    package mutating func sweep(keeping matters: (Element) -> Bool) {
        elements = elements[head...].filter { $0.map(matters) ?? false }
        head = 0
    }

    package static func == (lhs: FIFO, rhs: FIFO) -> Bool {
        lhs.elements[lhs.head...] == rhs.elements[rhs.head...]
    }
}
