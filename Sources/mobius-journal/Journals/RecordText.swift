import MobiusJournal
import MobiusJournalSQLite
import MobiusProcess
import MobiusWire

/// Renders the records of a journal, for people and as JSON.
enum RecordText {
    /// An event in several lines, a note in one.
    static func lines(_ entry: JournalEntry) -> [String] {
        switch entry.record {
        case .note(let effect, let note): ["  * \(TerminalText.line("\(effect)")) \(TerminalText.line(words(note)))"]
        case .event(let event):
            ["\(Times.point(event.time, milliseconds: true))  #\(event.sequence)  \(TerminalText.line(words(event)))"]
                + content(of: event) + effects(of: event)
        }
    }

    private static func content(of event: EventRecord) -> [String] {
        event.event.map { ["  \(content($0))"] } ?? []
    }

    private static func effects(of event: EventRecord) -> [String] {
        let dues = Dictionary(event.dues.map { ($0.index, $0.due) }) { $1 }
        return event.effects.enumerated().map { index, effect in
            let id = EffectID(loop: event.loop, sequence: event.sequence, index: UInt32(index))
            let due = dues[UInt32(index)].map { " due \(Times.point($0, milliseconds: true))" } ?? ""
            return "  -> \(TerminalText.line("\(id)"))\(due)  \(content(effect))"
        }
    }

    /// A payload in one line: its JSON, or else its kind and size.
    static func content(_ payload: Payload) -> String {
        payload.json.map(TerminalText.line) ?? TerminalText.line("\(payload)")
    }

    /// The source of an event, and whether it ended its effect.
    private static func words(_ event: EventRecord) -> String {
        let ending = event.ends == nil ? "" : ", its last"
        switch event.source {
        case .start: return "start"
        case .report(let attempt, let number): return "report \(number) of \(attempt)\(ending)"
        case .failure(let effect, let round):
            return round == 0 ? "failure of \(effect)" : "failure of \(effect) (retry \(round))"
        case .timer(let effect, let due): return "timer \(effect) due \(Times.point(due, milliseconds: true))\(ending)"
        case .outside(let key): return "key \(key)"
        case .loop(let effect): return "sent by \(effect)"
        }
    }

    /// The content of a note on an effect.
    private static func words(_ note: EffectNote) -> String {
        switch note {
        case .ended: "ended without an event"
        case .started(let attempt): "was given out as \(attempt), its only attempt"
        case .retried(let failures): failures == 1 ? "failed once" : "failed \(failures) times"
        case .deadLettered(let letter): "failed for good: \(letter.reason)"
        case .requeued(_, let round, let time): "was retried at \(Times.point(time)) (retry \(round))"
        case .dropped: "was dropped"
        case .remarked(.failed(let attempt, let worker, let reason, let time)):
            "attempt \(attempt) failed \(worker.isEmpty ? "in the coordinator" : "on \(worker)") at \(Times.point(time)): \(reason)"
        case .remarked(.cancelled(let effect)): "was cancelled by \(effect)"
        case .remarked(.asked(let name, let time)): "that was asked for by \(name) at \(Times.point(time))"
        case .remarked(.unknown(let kind, _)): "has a remark of kind \(kind), which this build does not know"
        case .loopEnded(let mayBeginAgain, _, let time):
            "ended the loop at \(Times.point(time))\(mayBeginAgain ? ", which may begin again" : "")"
        }
    }
}

// MARK: - For machines

extension RecordText {
    /// An event or a note as one object; `kind` is "event" or "note".
    static func jsonLine(_ entry: JournalEntry) -> JSONLine {
        var line = JSONLine()
        switch entry.record {
        case .event(let event):
            line.set("kind", "event")
            line.set("loop", event.loop.name)
            line.set("sequence", event.sequence)
            line.set("time", event.time)
            set(event.source, in: &line)
            line.set("ends", event.ends.map { "\($0)" })
            if let payload = event.event {
                line.set(payload.kind)
                line.set("event", payload)
            }
            line.set("effects", effectLines(of: event))
        case .note(let effect, let note):
            line.set("kind", "note")
            line.set("loop", effect.loop.name)
            line.set("sequence", entry.sequence)
            line.set("part", entry.part)
            line.set("effect", "\(effect)")
            set(note, in: &line)
        }
        line.set("epoch", entry.epoch)
        line.set("build", entry.build)
        return line
    }

    /// A pending effect as one object.
    static func jsonLine(_ effect: PendingEffect) -> JSONLine {
        var line = JSONLine()
        line.set("id", "\(effect.id)")
        line.set("loop", effect.id.loop.name)
        line.set("asked", effect.asked)
        line.set("due", effect.due)
        line.set("failures", effect.failures)
        line.set("round", effect.round)
        line.set("started", effect.started)
        line.set(effect.effect.kind)
        line.set("effect", effect.effect)
        return line
    }

    private static func effectLines(of event: EventRecord) -> [JSONLine] {
        let dues = Dictionary(event.dues.map { ($0.index, $0.due) }) { $1 }
        return event.effects.enumerated().map { index, effect in
            var line = JSONLine()
            line.set("id", "\(EffectID(loop: event.loop, sequence: event.sequence, index: UInt32(index)))")
            line.set("due", dues[UInt32(index)])
            line.set(effect.kind)
            line.set("effect", effect)
            return line
        }
    }

    private static func set(_ source: SourceKey, in line: inout JSONLine) {
        switch source {
        case .start: line.set("source", "start")
        case .report(let attempt, let number):
            line.set("source", "report")
            line.set("attempt", "\(attempt.effect)@\(attempt.attempt.epoch).\(attempt.attempt.number)")
            line.set("report", number)
        case .failure(let effect, let round):
            line.set("source", "failure")
            line.set("of", "\(effect)")
            line.set("round", round)
        case .timer(let effect, let due):
            line.set("source", "timer")
            line.set("of", "\(effect)")
            line.set("due", due)
        case .outside(let key):
            line.set("source", "outside")
            line.set("key", key)
        case .loop(let effect):
            line.set("source", "loop")
            line.set("of", "\(effect)")
        }
    }

    private static func set(_ remark: EffectRemark, in line: inout JSONLine) {
        switch remark {
        case .failed(let attempt, let worker, let reason, let time):
            line.set("note", "attempt-failed")
            line.set("attempt", attempt)
            line.set("worker", worker.isEmpty ? nil : worker)
            line.set("reason", reason)
            line.set("time", time)
        case .cancelled(let effect):
            line.set("note", "cancelled")
            line.set("by", "\(effect)")
        case .asked(let name, let time):
            line.set("note", "asked")
            line.set("askedBy", name)
            line.set("time", time)
        case .unknown(let kind, _):
            line.set("note", "remark")
            line.set("remark", kind)
        }
    }

    private static func set(_ note: EffectNote, in line: inout JSONLine) {
        switch note {
        case .ended: line.set("note", "ended")
        case .started(let attempt):
            line.set("note", "started")
            line.set("attempt", attempt)
        case .retried(let failures):
            line.set("note", "retried")
            line.set("failures", failures)
        case .deadLettered(let letter):
            line.set("note", "deadLettered")
            line.set("time", letter.time)
            line.set("reason", letter.reason)
            line.set("failures", letter.failures)
            line.set("round", letter.round)
        case .requeued(_, let round, let time):
            line.set("note", "requeued")
            line.set("time", time)
            line.set("round", round)
        case .dropped: line.set("note", "dropped")
        case .remarked(let remark): set(remark, in: &line)
        case .loopEnded(let mayBeginAgain, _, let time):
            line.set("note", "loop-ended")
            line.set("time", time)
            line.set("mayBeginAgain", mayBeginAgain)
        }
    }
}
