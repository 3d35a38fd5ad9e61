import MobiusClient
import MobiusProcess
import MobiusWire

/// The report that `mobius send` prints about an event that is on disk.
struct SendReport {
    private let sent: SentEvent
    private let refusal: String?
    private let place: String

    /// Describes an event that was sent to this place, and the program's refusal.
    init(_ sent: SentEvent, refusal: String?, place: String) {
        self.sent = sent
        self.refusal = refusal
        self.place = place
    }

    /// The lines for people.
    var sentence: String {
        let number = sent.number.map { " as event \($0)" } ?? ""
        let target: String
        switch sent.outcome {
        case .done: target = "applied to \(place)\(number)"
        case .repeated: target = "already applied to \(place)\(number)"
        case .dropped: return "dropped, not applied to \(place): an operator dropped the event with this key"
        }
        if let refusal {
            return "refused by the program: \(TerminalText.line(refusal))"
        }
        guard let answer = sent.answer else { return target }
        return "\(target)\n\(answer.json.map(TerminalText.line) ?? answer.readable)"
    }

    /// Sets the facts for scripts.
    func set(in line: inout JSONLine) {
        switch sent.outcome {
        case _ where refusal != nil: line.set("outcome", "refused")
        case .done: line.set("outcome", "applied")
        case .repeated: line.set("outcome", "already applied")
        case .dropped: line.set("outcome", "dropped")
        }
        line.set("number", sent.number)
        if let answer = sent.answer { line.set(exactly: "answer", answer) }
        line.set("refused", refusal)
    }
}
