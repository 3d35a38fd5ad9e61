import MobiusJournal
package import MobiusWire

// How many loops there are, and may be: of all kinds, and of each.
extension Residency {
    /// The same by kind, where there are several programs.
    package var countsByKind: [KindCount] {
        var counts = zip(keptByKind.kinds.all, zip(keptByKind.counts, endedByKind.counts)).map { kind, numbers in
            KindCount(kind: kind.name, loops: numbers.0 - numbers.1, kept: numbers.0)
        }
        guard !counts.isEmpty else { return [] }
        for loop in held {
            guard let kind = keptByKind.kinds.index(of: loop) else { continue }
            counts[kind].held += 1
            // The first event of its second life holds it: it has ended, and is held.
            if ended[loop] != nil { counts[kind].loops += 1 }
        }
        return counts
    }

    /// Returns the reason why an event for a loop that was never there cannot begin it; `nil` when it may.
    ///
    /// Clients name loops, so without a limit a flood of names would fill memory and disk. A loop that is held, or has ended
    /// and begins again, adds nothing to what is kept: so recovery is never limited, and neither are the events of loops that
    /// exist.
    package func refusalToBegin(_ loop: LoopID) -> ClientRefusal? {
        guard let reached = reachedLimit(of: loop) else { return nil }
        let reason =
            switch reached {
            case .all: "The coordinator has \(kept) loops, and its limit is \(maximumLoops) (--max-loops)"
            case .kind(let kind, 1): "The program of the kind \(kind) has one loop, \(kind) (maximumLoops)"
            case .kind(let kind, let limit):
                "The coordinator has as many loops of the kind \(kind) as its program's limit, \(limit) (maximumLoops)"
            }
        return ClientRefusal(
            .tooManyLoops, "\(reason): the loop \(loop) cannot begin. Events of other loops are taken.")
    }

    /// A limit that keeps loops from beginning.
    private enum ReachedLimit { case all, kind(String, limit: Int) }

    private func reachedLimit(of loop: LoopID) -> ReachedLimit? {
        if kept >= maximumLoops, !knows(loop) { return .all }
        guard let index = keptByKind.kinds.index(of: loop) else { return nil }
        let kind = keptByKind.kinds.all[index]
        guard let limit = kind.limit else { return nil }
        let isReached = limit == 1 ? loop.name != kind.name : keptByKind.counts[index] >= limit
        return isReached && !knows(loop) ? .kind(kind.name, limit: limit) : nil
    }

    /// A loop did not begin, for ``refusalToBegin(_:)``.
    mutating func noteRefused(_ loop: LoopID) {
        switch reachedLimit(of: loop) {
        case nil: break
        case .all: refused.append((loop, maximumLoops, nil))
        case .kind(let kind, let limit): refused.append((loop, limit, kind))
        }
    }

    /// Notes which loops did not begin since the last flush.
    mutating func tellRefused(_ actions: inout [CoordinatorAction]) {
        guard !refused.isEmpty else { return }
        for (loop, limit, kind) in refused.takeAll() {
            actions.append(.note(.loopRefused(loop, limit: limit, kind: kind)))
        }
    }
}
