import MobiusJournal
import MobiusWire

extension JournalStoreCompatibility {
    static let recordChecks = [
        Check("records come back as they were, in commit order") { open in
            let records = varied()
            try session(open) { store in
                try store.commit(Array(records[..<3]))
                try store.commit(Array(records[3...]))
                try require(try store.tail(of: .main), is: records, "tail in the same session")
            }
            try session(open) { try require(try $0.tail(of: .main), is: records, "tail in the next session") }
        },
        Check("loops in one commit stay apart") { open in
            // A name may hold a zero, at which C would end it.
            let other = LoopID("main\u{0}") ?? other
            let mine = [start(), outside(1, "k"), outside(2, "l")]
            let others = [start(other), outside(1, "k", of: other), .ended(effect(0, of: other))]
            try session(open) { store in
                try store.commit([mine[0], others[0], others[1], mine[1], others[2], mine[2]])
            }
            try session(open) { store in
                try require(try store.tail(of: .main), is: mine, "one loop")
                try require(try store.tail(of: other), is: others, "the other")
            }
        },
        Check("a loop goes on where it was in an earlier session") { open in
            try session(open) { try $0.commit([start(), .ended(effect(0))]) }
            try session(open) { try $0.commit([.ended(effect(0, 1)), outside(1, "k")]) }
            try session(open) { store in
                try require(
                    try store.tail(of: .main),
                    is: [start(), .ended(effect(0)), .ended(effect(0, 1)), outside(1, "k")], "tail")
            }
        },
        Check("bytes of every length and value survive") { open in
            let sizes = [0, 1, 7, 8, 9, 127, 128, 4_096, 70_000]
            let records = sizes.enumerated().map { index, size in
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ index) }
                let content = Payload(kind: binary, bytes: bytes)
                return report(
                    UInt64(index) + 1, on: effect(0, UInt32(index)), event: content, effects: [content, payload("")])
            }
            try session(open) { try $0.commit([start()] + records) }
            try session(open) { try require(try $0.tail(of: .main), is: [start()] + records, "tail") }
        },
        Check("what the visitor throws ends the reading and comes out") { open in
            struct Enough: Error {}
            try session(open) { store in
                try store.commit([start(), outside(1, "k")])
                var visited = 0
                do {
                    try store.readTail(of: .main) { _ in
                        visited += 1
                        throw Enough()
                    }
                    throw Incompatibility(description: "the visitor's error was swallowed")
                } catch is Enough {}
                try require(visited, is: 1, "visits")
                try store.commit([outside(2, "l")])
                try require(try store.tail(of: .main).count, is: 3, "records after that")
            }
        },
        Check("a long tail is read whole") { open in
            let count: UInt64 = 3_000
            try session(open) { store in
                try store.commit([start()])
                for first in stride(from: 1, through: count, by: 100) {
                    try store.commit((first..<first + 100).map { outside($0, "key \($0)") })
                }
            }
            let (_, loop) = try session(open) { try RecoveredLoop.read(.main, from: $0) }
            try require(loop.lastSequence, is: count, "last event")
        },
    ]

    private static func varied() -> [JournalRecord] {
        [
            start(effects: [payload("first"), payload("", binary), payload("third")]),
            outside(1, "", effects: [payload("fourth")]),
            report(2, on: effect(0), event: payload("so far"), final: false),
            report(3, on: effect(0), number: .max, epoch: .max, attempt: .max, event: payload("", binary)),
            .ended(effect(0, 1)),
            .ended(effect(0, 2)),
            failure(4, of: effect(1)),
            outside(5, "key\u{0} of 🍏 and e\u{301}"),
        ]
    }
}
