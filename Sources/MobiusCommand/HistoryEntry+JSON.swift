package import MobiusWire

extension HistoryEntry {
    /// An event or a note as one object, as `mobius history --json` and `GET /loops/{id}/history` show it; `kind` is
    /// "event" or "note".
    package func jsonLine(of loop: LoopID) -> JSONLine {
        var line = JSONLine()
        let isEvent = place.part == 0
        line.set("kind", isEvent ? "event" : "note")
        line.set("loop", loop.name)
        line.set("sequence", place.sequence)
        if !isEvent { line.set("part", place.part) }
        line.set(isEvent ? "source" : "note", what.rawValue)
        line.set("time", time)
        line.set("key", key)
        line.set("effect", effect.map { "\($0)" })
        line.set("attempt", attempt)
        line.set("report", report)
        if round > 0 { line.set("round", round) }
        line.set("due", due)
        line.set("ends", ends.map { "\($0)" })
        if failures > 0 { line.set("failures", failures) }
        line.set("reason", reason.isEmpty ? nil : reason)
        if let event { event.set("event", in: &line) }
        if isEvent {
            line.set("effectCount", effectCount)
            line.set(
                "effects",
                effects.map { $0.jsonLine(EffectID(loop: loop, sequence: place.sequence, index: $0.index)) })
        }
        line.set("epoch", epoch)
        line.set("build", build)
        return line
    }
}

extension HistoryEffect {
    fileprivate func jsonLine(_ id: EffectID) -> JSONLine {
        var line = JSONLine()
        line.set("id", "\(id)")
        line.set("due", due)
        effect.set("effect", in: &line)
        return line
    }
}

extension HistoryPayload {
    fileprivate func set(_ key: String, in line: inout JSONLine) {
        line.set(kind)
        line.set("size", size)
        if let payload { line.set(key, payload) }
    }
}
