public import MobiusJournal
public import MobiusWire

/// All that recovery reads of one loop.
public struct RecoveryReading: Equatable, CustomStringConvertible {
    private let isThere: Bool
    private let snapshots: [Snapshot?]
    private let between: [JournalRecord]
    private let tail: [JournalRecord]
    private let keys: [String]
    private let newestKeys: [String]
    private let beginning: UInt64

    /// Reads it in the order of a start.
    public init(of loop: LoopID, from store: any JournalReading) throws {
        isThere = try store.contains(loop)
        snapshots = [try store.newestSnapshot(of: loop), try store.olderSnapshot(of: loop)]
        between = try store.between(of: loop)
        tail = try store.tail(of: loop)
        keys = try store.outsideKeys(of: loop, limit: 100_000)
        newestKeys = try store.outsideKeys(of: loop, limit: 3)
        beginning = try store.beginning(of: loop)
    }

    /// How much it is.
    public var description: String {
        """
        \(snapshots.compactMap { $0?.sequence }) with \(between.count) and \(tail.count) records, \(keys.count) keys, \
        begun at \(beginning)
        """
    }
}

extension JournalStoreCompatibility {
    static let prefetchChecks = [
        Check("announced loops are read as others are") { open in
            let loops = try writeLoopsOfAllSizes(open)
            try session(open) { store in
                let alone = try loops.map { try RecoveryReading(of: $0, from: store) }
                for announced in [loops, loops.reversed(), loops + loops, Array(loops.dropFirst(3)), []] {
                    store.prefetch(announced)
                    for (loop, expected) in zip(loops, alone) {
                        try require(try RecoveryReading(of: loop, from: store), is: expected, "\(loop)")
                    }
                }
            }
            try session(open) { store in
                store.prefetch(loops)
                let first = try loops.map { try RecoveryReading(of: $0, from: store) }
                store.prefetch([])
                try require(try loops.map { try RecoveryReading(of: $0, from: store) }, is: first, "without the list")
            }
        },
        Check("what is written after loops were announced is read") { open in
            let names = ["a", "b", "c"].compactMap { LoopID($0) }
            try session(open) { store in
                try store.commit(names.flatMap { [start($0), outside(1, "k", of: $0)] })
                store.prefetch(names)
                try require(try store.tail(of: names[0]).count, is: 2, "records of the first")
                for name in names { try store.commit([outside(2, "l", of: name)]) }
                for name in names { try require(try store.tail(of: name).count, is: 3, "records of \(name)") }
                try store.save(snapshot(2, model: payload("m"), of: names[1]))
                try require(try store.newestSnapshot(of: names[1])?.sequence, is: 2, "a snapshot")
                try require(try store.outsideKeys(of: names[2], limit: 9), is: ["k", "l"], "keys")
            }
            try session(open) { store in
                store.prefetch(names)
                try require(try store.tail(of: names[0]).count, is: 3, "records of the first later")
                try store.commit([outside(3, "m", of: names[2])])
                try require(try store.tail(of: names[1]), is: [], "records of the second later")
                try require(try store.tail(of: names[2]).count, is: 4, "records of the third later")
            }
        },
    ]

    /// Loops without records, without snapshots, with one and more of them, with many records, keys and bytes, begun again,
    /// and idle.
    private static func writeLoopsOfAllSizes(_ open: Open) throws -> [LoopID] {
        let names = ["new", "none", "one", "two", "three", "long", "keys", "again", "idle"].compactMap { LoopID($0) }
        let large = (0..<20).compactMap { LoopID("large \($0)") }
        try session(open) { store in
            try store.commit((names.dropFirst() + large).map { start($0) })
            for (count, name) in names[1...4].enumerated() { try write(snapshots: count, of: name, to: store) }
            for number in 1...150 as ClosedRange<UInt64> {
                try store.commit([outside(number, "key \(number)", of: names[5])])
            }
            try store.commit((1...5000).map { outside($0, "key \($0)", of: names[6]) })
            let end = EndedLoop(loop: names[7], sequence: 0, time: time(1), mayBeginAgain: true)
            try store.commit([ended(end)])
            try store.commit([
                .event(EventRecord(loop: names[7], sequence: 1, source: .start, event: nil, effects: [], ends: nil))
            ])
            try store.park([IdleLoop(loop: names[8], sequence: 0, time: nil)], [])
            let models = large.enumerated().map { index, loop in
                let bytes = [UInt8](repeating: UInt8(index), count: index == 9 ? 2_000_000 : 600_000)
                return snapshot(0, model: Payload(kind: binary, bytes: bytes), of: loop)
            }
            try store.park([], models)
        }
        return names + large
    }

    private static func write(snapshots: Int, of loop: LoopID, to store: any JournalStore) throws {
        for round in 0...UInt64(snapshots) {
            for number in 1...5 as ClosedRange<UInt64> {
                let sequence = round * 5 + number
                let effects = [payload("effect \(sequence)")]
                try store.commit([outside(sequence, "key \(sequence)", effects: effects, of: loop)])
            }
            guard round < snapshots else { break }
            let last = round * 5 + 5
            let pending = [PendingEffect(id: effect(last, of: loop), effect: payload("effect \(last)"))]
            try store.save(snapshot(last, model: payload("at \(last)"), pending: pending, of: loop))
            // A note and an event after it, in one commit around the snapshot's place.
            try store.commit([.note(effect(last, of: loop), .started(Attempt(epoch: 1, number: 1)))])
        }
    }
}
