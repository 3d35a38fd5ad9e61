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
    ]

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
