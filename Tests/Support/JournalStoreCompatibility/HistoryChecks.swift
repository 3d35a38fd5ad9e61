import MobiusJournal
import MobiusWire

extension JournalStoreCompatibility {
    static let historyChecks = [
        Check("whatever may be deleted, recovery and its check find all they need") { open in
            try session(open) { try $0.commit([History.start, start(other)]) }
            var last: UInt64 = 0
            var snapshots: [UInt64] = []
            for round in UInt64(0)..<60 {
                try session(open) { store in
                    for _ in 0..<3 {
                        let size = 1 + (round &* 7) % 23
                        try store.commit(History.batch(after: last, count: size))
                        last += size
                    }
                    try store.commit([outside(round + 1, "other \(round)", of: other)])
                    if round % 2 == 0 {
                        try store.save(History.snapshot(at: last))
                        snapshots = snapshots.suffix(1) + [last]
                    }
                    if round % 7 == 0 { try store.save(snapshot(round + 1, model: payload("m"), of: other)) }
                }
                try session(open) { try compare($0, last: last, snapshots: snapshots) }
            }
            try session(open) { store in
                let keys = (1...last).compactMap { number -> String? in
                    if case .outside(let key) = History.event(number, lastOfBatch: 0).source { key } else { nil }
                }
                try require(try store.outsideKeys(of: .main, limit: .max), is: keys, "keys")
                try require(try store.hasApplied(key: "event 1", of: .main), is: true, "the first key")
                try require(try store.outsideKeys(of: other, limit: .max).count, is: 60, "another loop's keys")
            }
        },
        Check("an effect whose route became a timer's later fires and goes on, through tails and snapshots") { open in
            try session(open) {
                try $0.commit([start(effects: [payload("a"), payload("b")]), fired(1, effect(0), due: 5)])
            }
            var pending: [PendingEffect] = []
            try session(open) { store in
                pending = try RecoveredLoop.read(.main, from: store).loop.pending
                try require(pending.first?.fired, is: time(5), "when it fired")
                try require(pending.first?.due, is: nil, "when it was due first")
                try store.save(snapshot(1, model: payload("m"), pending: pending))
            }
            try session(open) { store in
                try require(try RecoveredLoop.read(.main, from: store).loop.pending, is: pending, "pending")
                try store.commit([fired(2, effect(0), due: 6, ends: true)])
                let left = try RecoveredLoop.read(.main, from: store).loop.pending
                try require(left, is: Array(pending.dropFirst()), "pending after its end")
            }
        },
        Check("entries are read from any place, in pages, and only those that are kept") { open in
            try session(open) { try $0.commit([History.start, start(other)]) }
            var last: UInt64 = 0
            for count in [7, 1, 23, 40] as [UInt64] {
                try session(open) { store in
                    try store.commit(History.batch(after: last, count: count))
                    last += count
                    try store.commit([
                        .note(effect(last), .retried(failures: 1)), .note(effect(last), .retried(failures: 2)),
                    ])
                }
            }
            try session(open) { store in
                var tail: [JournalRecord] = []
                try store.readTail(of: .main) { tail.append($0) }
                for limit in [1, 5, 1000] {
                    try require(try Self.entries(store, limit: limit).map(\.record), is: tail, "all entries")
                }
                let few = try store.entries(of: .main, JournalRange(from: 8, to: 10, limit: 100))
                let places = few.entries.filter { $0.part == 0 }.map(\.sequence)
                try require(places, is: [8, 9, 10], "events of a range")
                try require(few.more, is: false, "more in a range")
                try require(few.first, is: 0, "the first that is kept")
                let small = try store.entries(of: .main, JournalRange(from: 8, limit: 100, bytes: 1))
                try require(small.entries.count, is: 1, "entries of a page of one byte")
                try require(small.more, is: true, "more after it")
                let behind = try store.entries(of: .main, JournalRange(from: .max, part: .max, limit: 1))
                try require(behind.entries, is: [], "entries behind the last")
                // A place that does not exist stands for the next one.
                let odd = try store.entries(of: .main, JournalRange(from: 8, part: 999, limit: 1))
                try require(odd.entries.first?.sequence, is: 9, "the entry behind a place that does not exist")
                try require(try store.entries(of: missing, JournalRange(limit: 1)), is: JournalPage(), "no loop")
            }
        },
    ]

    private static let missing = LoopID("missing") ?? .main

    private static func entries(_ store: any JournalStore, limit: Int) throws -> [JournalEntry] {
        var range = JournalRange(limit: limit)
        var entries: [JournalEntry] = []
        while true {
            let page = try store.entries(of: .main, range)
            entries += page.entries
            guard page.more, let last = page.entries.last else { return entries }
            (range.sequence, range.part) = (last.sequence, last.part + 1)
        }
    }

    /// Compares all that can be read of a ``History``.
    private static func compare(_ store: any JournalStore, last: UInt64, snapshots: [UInt64]) throws {
        let (newest, loop) = try RecoveredLoop.read(.main, from: store)
        try require(loop.lastSequence, is: last, "last event")
        try require(loop.pending, is: History.pending(after: last), "pending after \(last)")
        try require(newest, is: snapshots.last.map { History.snapshot(at: $0) }, "newest snapshot")
        let older = try store.olderSnapshot(of: .main)
        try require(older, is: snapshots.count == 2 ? History.snapshot(at: snapshots[0]) : nil, "older snapshot")
        guard let end = snapshots.last else { return }
        var checked = RecoveredLoop(loop: .main, snapshot: older)
        try store.readBetweenSnapshots(of: .main) { try checked.apply($0) }
        try require(checked.lastSequence, is: end, "the last event between the snapshots")
        try require(checked.pending, is: History.pending(after: end), "pending between the snapshots")
    }
}
