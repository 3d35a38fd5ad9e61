package import MobiusCodec
package import MobiusJournal
package import MobiusWire

/// A loop to be stored as idle.
package struct Parking: Sendable {
    /// The loop and its last event.
    package let idle: IdleLoop
    /// Makes its snapshot, if events lie behind the newest one.
    package let snapshot: (@Sendable () -> Result<Snapshot, CodingFailure>)?

    /// Encodes the snapshots of these loops.
    ///
    /// - Returns: what is to be stored, and how each loop was parked if that succeeds.
    package static func encode(_ parkings: [Parking]) -> (loops: [IdleLoop], snapshots: [Snapshot], Outcome) {
        var (loops, snapshots, outcome) = ([IdleLoop](), [Snapshot](), Outcome())
        for parking in parkings {
            switch parking.snapshot?() {
            case nil: outcome.parked.append((parking.idle.loop, nil))
            case .success(let snapshot)?:
                snapshots.append(snapshot)
                outcome.parked.append((parking.idle.loop, snapshot.model.bytes.count))
            case .failure(let failure)?:
                outcome.failed.append((parking.idle.loop, "\(failure)"))
                continue
            }
            loops.append(parking.idle)
        }
        return (loops, snapshots, outcome)
    }

    /// The outcome of parking loops.
    package struct Outcome: Sendable {
        /// These are on disk as idle; the size of the snapshot's model in bytes, if one was made.
        package fileprivate(set) var parked: [(loop: LoopID, bytes: Int?)] = []
        /// The snapshots of these could not be encoded, for this reason; nothing of them was written.
        package fileprivate(set) var failed: [(loop: LoopID, reason: String)] = []
    }
}

/// Events and requests that wait for loops that are not in memory, in their order, within bounds.
package struct WaitingRoom<Waiter> {
    private struct Line {
        var waiters: [(waiter: Waiter, bytes: Int)] = []
        /// The number of those that were taken.
        var taken = 0
    }

    private let limit: Int
    private let byteLimit: Int
    private var lines: [LoopID: Line] = [:]
    private var count = 0
    private var bytes = 0

    /// Makes a room for this many waiters with this many bytes in total.
    package init(limit: Int, bytes: Int) {
        self.limit = limit
        byteLimit = bytes
    }

    /// Whether something waits for the loop.
    package func has(_ loop: LoopID) -> Bool { !lines.isEmpty && lines[loop] != nil }

    /// The number of waiters in the loop's line.
    package func count(of loop: LoopID) -> Int { lines[loop].map { $0.waiters.count - $0.taken } ?? 0 }

    /// Whether a waiter with this many bytes may come in.
    package func hasRoom(bytes added: Int) -> Bool { count < limit && bytes + added <= max(byteLimit, added) }

    /// Adds a waiter to the end of its loop's line.
    ///
    /// - Returns: whether it is the first one there.
    package mutating func add(_ waiter: Waiter, bytes added: Int, for loop: LoopID) -> Bool {
        lines[loop, default: Line()].waiters.append((waiter, added))
        (count, bytes) = (count + 1, bytes + added)
        return lines[loop]?.waiters.count == 1
    }

    /// Removes the first waiter of the loop's line; the line is gone with its last one.
    package mutating func takeFirst(of loop: LoopID) -> Waiter? {
        guard let line = lines[loop] else { return nil }
        let (waiter, size) = line.waiters[line.taken]
        (count, bytes) = (count - 1, bytes - size)
        if line.taken + 1 == line.waiters.count { lines[loop] = nil } else { lines[loop]?.taken += 1 }
        return waiter
    }

    /// Removes all waiters.
    package mutating func takeAll() -> [Waiter] {
        let all = lines.sorted { $0.key.name < $1.key.name }.flatMap { $0.value.waiters[$0.value.taken...] }
        (lines, count, bytes) = ([:], 0, 0)
        return all.map(\.waiter)
    }
}
