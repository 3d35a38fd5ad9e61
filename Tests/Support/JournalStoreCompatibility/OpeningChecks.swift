import MobiusJournal
import MobiusWire

extension JournalStoreCompatibility {
    static let openingChecks = [
        Check("a new journal is empty") { open in
            try session(open) { store in
                try require(store.epoch >= 1, is: true, "the epoch is from 1")
                try require(try store.newestSnapshot(of: .main), is: nil, "snapshot")
                try require(try store.tail(of: .main), is: [], "tail")
                try require(try store.outsideKeys(of: .main, limit: 10), is: [], "keys")
                try require(try store.loops(), is: [], "loops")
                try require(try store.olderSnapshot(of: .main), is: nil, "older snapshot")
                try require(try store.between(of: .main), is: [], "records between snapshots")
                try require(try store.builds(of: .main, in: 0...UInt64.max), is: [], "builds")
                try require(try store.hasApplied(key: "k", of: .main), is: false, "a key")
                try require(try store.deadLetterCount(of: nil), is: 0, "dead letters")
                try require(try store.deadLetters(of: .main, after: nil, limit: 9), is: [], "dead letters")
                try require(try store.deadLetter(effect(0)), is: nil, "dead letter")
                try require(try store.crashes(), is: [], "crashes")
            }
        },
        Check("each start has a greater epoch and the same identity") { open in
            let first = try session(open) { ($0.epoch, $0.identity) }
            let second = try session(open) { ($0.epoch, $0.identity) }
            try require(second.0 > first.0, is: true, "the epoch grows from \(first.0) to \(second.0)")
            try require(second.1, is: first.1, "identity")
        },
        Check("loops are in the order in which they began") { open in
            let third = LoopID("a third") ?? .main
            try session(open) { store in
                try store.commit([start(other), start(third)])
                try store.commit([start()])
                try require(try store.loops(), is: [other, third, .main], "loops")
                _ = try store.noteCrash(
                    Breadcrumb(loop: LoopID("never begun") ?? .main, source: .start, event: nil), build: "", epoch: 1,
                    at: time(1))
            }
            try session(open) { try require(try $0.loops(), is: [other, third, .main], "loops later") }
        },
        Check("builds are known for each stretch of events") { open in
            let last = try [("1", 3), ("2", 0), ("1", 2), ("3", 4)].reduce(UInt64(0)) { last, session in
                try write(open, build: session.0, after: last, count: UInt64(session.1))
            }
            try require(last, is: 9, "events")
            try session(open, build: "4") { store in
                func builds(_ sequences: ClosedRange<UInt64>) throws -> [String] {
                    try store.builds(of: .main, in: sequences)
                }
                try require(try builds(0...9), is: ["1", "3"], "all")
                try require(try builds(0...3), is: ["1"], "the first")
                try require(try builds(5...5), is: ["1"], "the same build again")
                try require(try builds(5...6), is: ["1", "3"], "over a start")
                try require(try builds(6...UInt64.max), is: ["3"], "the last, and beyond the end")
                try require(try builds(10...12), is: [], "none")
                try require(try store.builds(of: other, in: 0...0), is: ["1"], "another loop's")
            }
        },
        Check("a commit of nothing is a commit") { open in
            try session(open) { try $0.commit([]) }
            try session(open) { try require(try $0.tail(of: .main), is: [], "tail") }
        },
    ]

    /// One session that commits `count` events of the main loop one by one, and begins both loops first.
    private static func write(_ open: Open, build: String, after last: UInt64, count: UInt64) throws -> UInt64 {
        try session(open, build: build) { store in
            if try store.loops().isEmpty { try store.commit([start(), start(other)]) }
            for sequence in last + 1..<last + 1 + count { try store.commit([outside(sequence, "key \(sequence)")]) }
            return last + count
        }
    }
}
