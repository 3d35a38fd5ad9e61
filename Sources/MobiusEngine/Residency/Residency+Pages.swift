import MobiusJournal
import MobiusWire

// Lists of loops for clients.
extension Residency {
    /// The most names that one page examines, so that a rare state in a million loops does not hold up the rest.
    static var examinedLoops: Int { 10_000 }

    /// Adds loops to a status, of which it has the held ones: all counts, and a page of loops, the held ones first.
    ///
    /// - Parameter pending: The number of pending effects of each loop in memory.
    func fill(_ status: inout FleetStatus, pending: [LoopID: UInt64], page: Int) {
        let known = Dictionary(status.loops.filter { held.contains($0.loop) }.map { ($0.loop, $0) }) { $1 }
        let heldLoops = held.sorted { $0.name < $1.name }.map {
            known[$0] ?? LoopStatus(loop: $0, sequence: 0, pending: 0, isHeld: true)
        }
        status.pending = heldLoops.reduce(0) { $0.saturatingAdding($1.pending) }
        let heldEvents = heldLoops.reduce(0 as UInt64) { $0.saturatingAdding($1.sequence) }
        let events = loops.values.reduce(heldEvents) { $0.saturatingAdding($1.lastSequence ?? 0) }
        status.events = events.saturatingAdding(idle.events)
        status.loopCount = UInt64(loops.count + held.count).saturatingAdding(idle.loops)
        status.heldCount = UInt64(held.count)
        status.loops = Array(heldLoops.prefix(page))
        // In the order of their names, without sorting a million of them.
        directory.visit(prefix: "", after: nil) { loop in
            guard status.loops.count < page else { return false }
            guard let state = loops[loop] else { return true }
            status.loops.append(
                LoopStatus(loop: loop, sequence: state.lastSequence ?? 0, pending: pending[loop] ?? 0))
            return true
        }
    }

    /// A page of loops, and behind which loop to continue; `nil` at the end.
    ///
    /// - Parameters:
    ///   - stored: The journal's loops in the same range, and whether they are all; loops in memory are newer.
    ///   - held: The host's knowledge of a held loop.
    func page(
        prefix: String, state: LoopSummary.State?, after: LoopID?, limit: Int,
        stored: (loops: [StoredLoop], isAll: Bool) = ([], true), held: (LoopID) -> LoopStatus?
    ) -> (loops: [LoopSummary], next: LoopID?) {
        var page = LoopPage(state: state, limit: max(1, limit))
        var rest = stored.loops[...]
        let bound = stored.isAll ? nil : stored.loops.last?.loop
        directory.visit(prefix: prefix, after: after) { loop in
            if let bound, LoopDirectory.precedes(bound.name, loop.name) { return false }
            while let next = rest.first, next.loop == loop || LoopDirectory.precedes(next.loop.name, loop.name) {
                if next.loop != loop, !page.add(next.loop, next.summary) { return false }
                rest.removeFirst()
            }
            return page.add(loop, summary(of: loop, held))
        }
        while page.hasRoom, let next = rest.popFirst() {
            if !knows(next.loop) { _ = page.add(next.loop, next.summary) }
        }
        let isDone = page.hasRoom && rest.isEmpty && stored.isAll
        return (page.found, isDone ? nil : page.last ?? bound)
    }

    /// Describes those of these loops that there are.
    ///
    /// - Parameter stored: The journal's knowledge of them; loops in memory are newer.
    func summaries(
        of loops: [LoopID], stored: [StoredLoop], held: (LoopID) -> LoopStatus?
    ) -> [LoopID: LoopSummary] {
        let stored = Dictionary(stored.map { ($0.loop, $0) }) { $1 }
        var found: [LoopID: LoopSummary] = [:]
        for loop in loops { found[loop] = knows(loop) ? summary(of: loop, held) : stored[loop]?.summary }
        return found
    }

    private func summary(of loop: LoopID, _ heldStatus: (LoopID) -> LoopStatus?) -> LoopSummary? {
        if held.contains(loop) {
            let status = heldStatus(loop)
            return LoopSummary(
                loop: loop, sequence: status?.sequence ?? 0, pending: status?.pending ?? 0, state: .held)
        }
        if let end = ended[loop] {
            return LoopSummary(
                loop: loop, sequence: end.sequence, pending: UInt64(end.outstanding), state: .ended, time: end.time)
        }
        guard let state = loops[loop], state.nextSequence > 0 else { return nil }
        return LoopSummary(
            loop: loop, sequence: state.nextSequence - 1, pending: UInt64(clamping: state.pending),
            state: state.pending > 0 ? .running : .idle, time: state.lastEvent)
    }
}

/// A page of loops that is being made.
private struct LoopPage {
    let state: LoopSummary.State?
    let limit: Int
    var found: [LoopSummary] = []
    /// The last examined loop.
    var last: LoopID?
    /// Whether every loop that was offered was examined.
    private(set) var hasRoom = true
    private var examined = 0

    init(state: LoopSummary.State?, limit: Int) {
        self.state = state
        self.limit = limit
    }

    /// Examines the next loop, unless the page is full.
    mutating func add(_ loop: LoopID, _ summary: LoopSummary?) -> Bool {
        guard examined < Residency.examinedLoops, found.count < limit else {
            hasRoom = false
            return false
        }
        examined += 1
        last = loop
        if let summary, state == nil || summary.state == state { found.append(summary) }
        return true
    }
}

extension StoredLoop {
    /// Its entry in a list; `nil` for an active loop, which only the machine knows.
    fileprivate var summary: LoopSummary? {
        idle.map { LoopSummary(loop: loop, sequence: $0.sequence, pending: 0, state: .idle, time: $0.time) }
    }
}
