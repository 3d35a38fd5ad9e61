import MobiusEngine
import MobiusJournal
import MobiusWire

/// A disk that remembers what was committed and nothing else.
struct FleetJournal {
    let identity = JournalID(high: 7, low: 11)
    private(set) var committed: [JournalRecord] = []
    private(set) var sources: Set<SourceKey> = []
    private(set) var asked: Set<EffectID> = []
    /// How often each effect ended.
    private(set) var ends: [EffectID: Int] = [:]
    private var writing: [(Ticket, [JournalRecord])] = []

    var hasEnded: Bool { asked.allSatisfy { ends[$0] != nil } }

    mutating func write(_ ticket: Ticket, _ records: [JournalRecord]) {
        writing.append((ticket, records))
    }

    /// The oldest batch is on disk now.
    mutating func commitNext() -> Ticket? {
        guard !writing.isEmpty else { return nil }
        let (ticket, records) = writing.removeFirst()
        committed.append(contentsOf: records)
        for record in records { note(record) }
        return ticket
    }

    /// The power fails: the oldest batches may have reached the disk, though nobody was told.
    mutating func crash(_ random: inout FleetRandom) {
        while !writing.isEmpty, random.chance(30) { _ = commitNext() }
        writing = []
    }

    private mutating func note(_ record: JournalRecord) {
        switch record {
        case .event(let event):
            if event.source != .start { sources.insert(event.source) }
            for index in event.effects.indices {
                asked.insert(EffectID(loop: event.loop, sequence: event.sequence, index: UInt32(index)))
            }
            if let ended = event.ends { ends[ended, default: 0] += 1 }
        case .note(let effect, .ended): ends[effect, default: 0] += 1
        case .note: break
        }
    }

    /// What the next start finds of a loop; `nil` when it has not begun.
    func recover(_ loop: LoopID, _ plan: (Payload) -> EffectPlan) throws -> ResumedLoop? {
        var recovered = RecoveredLoop(loop: loop, snapshot: nil)
        var keys: [String] = []
        for record in committed {
            switch record {
            case .event(let event):
                guard event.loop == loop else { continue }
                if case .outside(let key) = event.source { keys.append(key) }
            case .note(let effect, _): guard effect.loop == loop else { continue }
            }
            try recovered.apply(record)
        }
        guard let last = recovered.lastSequence else { return nil }
        return ResumedLoop(
            loop: loop, lastSequence: last, pending: recovered.pending.map { ($0, plan($0.effect)) },
            outsideKeys: keys)
    }

    /// What a journal must never hold, in sentences.
    func complaints() -> [String] {
        var found: [String] = []
        for (effect, count) in ends where count != 1 { found.append("\(effect) ended \(count) times") }
        for effect in ends.keys where !asked.contains(effect) {
            found.append("\(effect) ended and was never asked for")
        }
        var next: [LoopID: UInt64] = [:]
        var reports: [AttemptID: UInt32] = [:]
        var seen: Set<SourceKey> = []
        for case .event(let event) in committed {
            if event.sequence != next[event.loop, default: 0] { found.append("a gap before \(event.sequence)") }
            next[event.loop] = event.sequence + 1
            guard event.source != .start else { continue }
            if !seen.insert(event.source).inserted { found.append("\(event.source) was applied twice") }
            guard case .report(let attempt, let number) = event.source else { continue }
            if number != reports[attempt, default: 0] + 1 { found.append("\(attempt) has report \(number) too early") }
            reports[attempt] = number
        }
        return found
    }
}
