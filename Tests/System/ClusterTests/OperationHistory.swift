import Testing

/// What clients did to one loop that has a register and a set, and when.
struct OperationHistory: Sendable {
    /// What a client wanted, and what it was told.
    enum Deed: Sendable, Hashable {
        case write(Int)
        case insert(Int)
        case read(value: Int, members: Set<Int>)
    }

    struct Operation: Sendable {
        /// The client called between these two moments, and was answered at the second.
        var begin: ContinuousClock.Instant
        var end: ContinuousClock.Instant
        var deed: Deed
        /// The number of the event that it is, or after which it read.
        var event: UInt64
    }

    var operations: [Operation] = []

    /// Why it is not linearizable: one process that does one thing at a time cannot have answered so.
    ///
    /// The answers name the order in which the operations took effect, so it is enough to see that the order explains the answers,
    /// and that no operation comes before one that had ended when it began (Herlihy and Wing, 1990).
    var complaints: [String] {
        var complaints: [String] = []
        let changes = operations.filter { !$0.isRead }.sorted { $0.event < $1.event }
        if changes.map(\.event) != Array(1..<UInt64(changes.count + 1)) {
            complaints.append("the changes are not the events 1 to \(changes.count)")
        }
        var (states, state) = ([(value: 0, members: Set<Int>())], (value: 0, members: Set<Int>()))
        for change in changes {
            switch change.deed {
            case .write(let value): state.value = value
            case .insert(let member): state.members.insert(member)
            case .read: break
            }
            states.append(state)
        }
        // In the order of time, the newest event that anybody had been told of.
        let ended = operations.sorted { $0.end < $1.end }
        var (place, newest) = (0, UInt64(0))
        for operation in operations.sorted(by: { $0.begin < $1.begin }) {
            while place < ended.count, ended[place].end < operation.begin {
                newest = max(newest, ended[place].event)
                place += 1
            }
            if operation.isRead ? operation.event < newest : operation.event <= newest {
                complaints.append("\(operation.deed) at \(operation.event), after \(newest) was told")
            }
            guard case .read(let value, let members) = operation.deed else { continue }
            guard operation.event < states.count else {
                complaints.append("a read after event \(operation.event), which nobody sent")
                continue
            }
            let expected = states[Int(operation.event)]
            if value != expected.value || members != expected.members {
                complaints.append("a read after event \(operation.event) is not what the events make")
            }
        }
        return complaints
    }
}

extension OperationHistory.Operation {
    fileprivate var isRead: Bool {
        if case .read = deed { true } else { false }
    }
}

@Suite("The check of a history")
struct OperationHistoryTests {
    private static let start = ContinuousClock.now

    private func operation(_ begin: Int, _ end: Int, _ deed: OperationHistory.Deed, _ event: UInt64)
        -> OperationHistory.Operation
    {
        OperationHistory.Operation(
            begin: Self.start + .seconds(begin), end: Self.start + .seconds(end), deed: deed, event: event)
    }

    private var sound: [OperationHistory.Operation] {
        [
            operation(0, 1, .write(5), 1), operation(2, 5, .insert(7), 2),
            operation(3, 4, .read(value: 5, members: []), 1),
            operation(4, 6, .read(value: 5, members: [7]), 2), operation(6, 9, .write(6), 3),
            operation(7, 8, .read(value: 6, members: [7]), 3),
        ]
    }

    @Test("one that a single process may have made is sound")
    func isSound() {
        #expect(OperationHistory(operations: sound).complaints == [])
    }

    @Test(
        "a stale read, a lost or doubled change, a change of the past and a wrong answer are found",
        arguments: [
            (3, OperationHistory.Deed.read(value: 5, members: []), UInt64(0)),
            (5, .read(value: 5, members: [7]), 1), (5, .read(value: 6, members: [7]), 4),
            (0, .write(5), 2), (4, .write(6), 1), (4, .write(6), 4), (3, .read(value: 5, members: []), 2),
        ])
    func isFound(place: Int, deed: OperationHistory.Deed, event: UInt64) {
        var operations = sound
        (operations[place].deed, operations[place].event) = (deed, event)
        #expect(OperationHistory(operations: operations).complaints != [])
    }
}
