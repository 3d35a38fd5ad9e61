import MobiusClient
import MobiusCommand
import MobiusWire

/// Renders the entries of a history, for people and as JSON, as `mobius journal show` does.
enum HistoryText {
    /// An event in several lines, a note in one.
    static func lines(_ entry: HistoryEntry, of loop: LoopID) -> [String] {
        guard entry.place.part == 0 else { return ["  * \(TerminalText.line(words(entry)))"] }
        let time = entry.time.map { Times.point($0, milliseconds: true) } ?? "-"
        var lines = ["\(time)  #\(entry.place.sequence)  \(TerminalText.line(words(entry)))"]
        if let event = entry.event { lines.append("  \(content(event))") }
        for asked in entry.effects {
            let due = asked.due.map { " due \(Times.point($0, milliseconds: true))" } ?? ""
            lines.append("  -> \(TerminalText.line("\(id(asked, entry, loop))"))\(due)  \(content(asked.effect))")
        }
        let more = Int(entry.effectCount) - entry.effects.count
        if more > 0 { lines.append("  -> and \(more) more effects") }
        return lines
    }

    private static func id(_ asked: HistoryEffect, _ entry: HistoryEntry, _ loop: LoopID) -> EffectID {
        EffectID(loop: loop, sequence: entry.place.sequence, index: asked.index)
    }

    /// A payload in one line: its JSON, or else its type and size.
    private static func content(_ payload: HistoryPayload) -> String {
        if let whole = payload.payload { return whole.json.map(TerminalText.line) ?? TerminalText.line("\(whole)") }
        return TerminalText.line("\(payload.kind.type) (\(payload.kind.contentType), \(payload.size) bytes)")
    }

    private static func words(_ entry: HistoryEntry) -> String {
        let effect = entry.effect.map { "\($0)" } ?? "an effect"
        let attempt = entry.attempt.map { "\(effect)@\($0.epoch).\($0.number)" } ?? effect
        let ending = entry.ends == nil ? "" : ", its last"
        switch entry.what {
        case .start: return "start"
        case .outside: return "key \(entry.key ?? "")"
        case .report: return "report \(entry.report ?? 0) of \(attempt)\(ending)"
        case .failure: return entry.round == 0 ? "failure of \(effect)" : "failure of \(effect) (retry \(entry.round))"
        case .timer:
            return "timer \(effect) due \(entry.due.map { Times.point($0, milliseconds: true) } ?? "-")\(ending)"
        case .loop: return "sent by \(effect)"
        case .ended: return "\(effect) ended without an event"
        case .started: return "\(effect) was given out as \(attempt), its only attempt"
        case .retried: return entry.failures == 1 ? "\(effect) failed once" : "\(effect) failed \(entry.failures) times"
        case .deadLettered: return "\(effect) failed for good: \(entry.reason)"
        case .requeued: return "\(effect) was retried (retry \(entry.round))"
        case .dropped: return "\(effect) was dropped"
        case .loopEnded: return "\(effect) ended the loop\(entry.time.map { " at \(Times.point($0))" } ?? "")"
        default: return "\(entry.what.rawValue) \(entry.effect.map { "\($0)" } ?? "")"
        }
    }
}

// MARK: - For machines

extension HistoryText {
    /// An event or a note as one object; `kind` is "event" or "note".
    static func jsonLine(_ entry: HistoryEntry, of loop: LoopID) -> JSONLine {
        var line = JSONLine()
        let isEvent = entry.place.part == 0
        line.set("kind", isEvent ? "event" : "note")
        line.set("loop", loop.name)
        line.set("sequence", entry.place.sequence)
        if !isEvent { line.set("part", entry.place.part) }
        line.set(isEvent ? "source" : "note", entry.what.rawValue)
        line.set("time", entry.time)
        line.set("key", entry.key)
        line.set("effect", entry.effect.map { "\($0)" })
        line.set("attempt", entry.attempt)
        line.set("report", entry.report)
        if entry.round > 0 { line.set("round", entry.round) }
        line.set("due", entry.due)
        line.set("ends", entry.ends.map { "\($0)" })
        if entry.failures > 0 { line.set("failures", entry.failures) }
        line.set("reason", entry.reason.isEmpty ? nil : entry.reason)
        if let event = entry.event { set("event", event, in: &line) }
        if isEvent {
            line.set("effectCount", entry.effectCount)
            line.set("effects", entry.effects.map { jsonLine($0, id($0, entry, loop)) })
        }
        line.set("epoch", entry.epoch)
        line.set("build", entry.build)
        return line
    }

    private static func jsonLine(_ asked: HistoryEffect, _ id: EffectID) -> JSONLine {
        var line = JSONLine()
        line.set("id", "\(id)")
        line.set("due", asked.due)
        set("effect", asked.effect, in: &line)
        return line
    }

    private static func set(_ key: String, _ payload: HistoryPayload, in line: inout JSONLine) {
        line.set(payload.kind)
        line.set("size", payload.size)
        if let whole = payload.payload { line.set(key, whole) }
    }
}
