/// A first-in, first-out queue; each operation at its ends costs amortised O(1).
struct EventQueue<Event> {
    private var incoming: [Event] = []
    /// The oldest elements, in reverse order.
    private var outgoing: [Event] = []

    var count: Int { incoming.count + outgoing.count }
    var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

    mutating func append(_ event: Event) {
        incoming.append(event)
    }

    mutating func popFirst() -> Event? {
        if outgoing.isEmpty {
            outgoing = incoming.reversed()
            incoming.removeAll(keepingCapacity: true)
        }
        return outgoing.popLast()
    }

    mutating func popLast() -> Event? {
        if incoming.isEmpty {
            incoming = outgoing.reversed()
            outgoing.removeAll(keepingCapacity: true)
        }
        return incoming.popLast()
    }
}
