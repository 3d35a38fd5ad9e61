package import MobiusWire

/// Renders the entries of a loop's history, for people.
package enum HistoryText {
    /// An event in several lines, a note in one, each cut to the width; loops' names in effects' ids are shortened first.
    package static func lines(_ entry: HistoryEntry, width: Int) -> [String] {
        let ids = width == .max ? Int.max : max(24, width / 3)
        return lines(entry, ids: ids).map { TerminalText.cut($0, to: width) }
    }

    private static func lines(_ entry: HistoryEntry, ids: Int) -> [String] {
        guard entry.place.part == 0 else { return ["  * \(TerminalText.line(words(entry, ids)))"] }
        let time = entry.time.map { Times.point($0, milliseconds: true) } ?? "-"
        var lines = ["\(time)  #\(entry.place.sequence)  \(TerminalText.line(words(entry, ids)))"]
        if let event = entry.event { lines.append("  \(content(event))") }
        for asked in entry.effects {
            let due = asked.due.map { " due \(Times.point($0, milliseconds: true))" } ?? ""
            lines.append(
                "  -> \(Table.effect(TerminalText.line("\(asked.id)"), to: ids))\(due)  \(content(asked.effect))"
            )
        }
        let more = Int(entry.effectCount) - entry.effects.count
        if more > 0 { lines.append("  -> and \(more) more effects") }
        return lines
    }

    /// A payload in one line: its JSON, or else its type and size.
    package static func content(_ payload: Payload) -> String {
        payload.json.map(TerminalText.line) ?? TerminalText.line("\(payload)")
    }

    private static func content(_ payload: HistoryPayload) -> String {
        if let whole = payload.payload { return content(whole) }
        return TerminalText.line("\(payload.kind.type) (\(payload.kind.contentType), \(payload.size) bytes)")
    }

    private static func words(_ entry: HistoryEntry, _ ids: Int) -> String {
        let effect = entry.effect.map { Table.effect("\($0)", to: ids) } ?? "an effect"
        let attempt = entry.attempt.map { "\(effect)@\($0)" } ?? effect
        let ending = entry.ends == nil ? "" : ", its last"
        let time = entry.time.map { " at \(Times.point($0))" } ?? ""
        switch entry.what {
        case .start: return "start"
        case .outside: return "key \(entry.key ?? "")"
        case .report: return "report \(entry.report ?? 0) of \(attempt)\(ending)"
        case .failure: return entry.round == 0 ? "failure of \(effect)" : "failure of \(effect) (retry \(entry.round))"
        case .timer:
            return "timer \(effect) due \(entry.due.map { Times.point($0, milliseconds: true) } ?? "-")\(ending)"
        case .loop: return "sent by \(effect)"
        case .answer: return "answer to \(effect)"
        case .answered:
            return entry.reason.isEmpty ? "\(effect) was answered" : "\(effect) was refused: \(entry.reason)"
        case .ended: return "\(effect) ended without an event"
        case .started:
            return "\(effect) was given out as \(entry.attempt.map { "\($0)" } ?? "one"), its only attempt"
        case .retried: return entry.failures == 1 ? "\(effect) failed once" : "\(effect) failed \(entry.failures) times"
        case .deadLettered: return "\(effect) failed for good: \(entry.reason)"
        case .requeued: return "\(effect) was retried\(time) (retry \(entry.round))"
        case .dropped: return "\(effect) was dropped"
        case .attemptFailed:
            let place = entry.worker.isEmpty ? "in the coordinator" : "on \(entry.worker)"
            return "\(attempt) failed \(place)\(time): \(entry.reason)"
        case .cancelled:
            return "\(effect) was cancelled by \(entry.by.map { Table.effect("\($0)", to: ids) } ?? "another")"
        case .acted:
            let who = entry.askedBy.isEmpty ? "an operator" : entry.askedBy
            let what = entry.effect == nil ? "the loop" : effect
            return "\(who) asked to \(entry.act) \(what)\(time): \(entry.reason.isEmpty ? "no reason" : entry.reason)"
        case .asked: return "that was asked for by \(entry.askedBy)\(time)"
        case .loopEnded:
            let what = entry.effect == nil ? "that" : effect
            return "\(what) ended the loop\(time)\(entry.mayBeginAgain ? ", which may begin again" : "")"
        default: return "\(entry.what.rawValue) \(entry.effect == nil ? "" : effect)"
        }
    }
}
