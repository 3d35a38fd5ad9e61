import MobiusCore
import MobiusEngine
import MobiusWire

/// Messages that can be lost on purpose.
enum Message {
    case effect
    case event
    case acknowledgement
}

// What a fleet with real handlers asks of its world.
extension World {
    /// Hands on what handlers have said.
    func takeOutcomes() {
        for (name, outcome) in stage?.takeOutcomes() ?? [] {
            for process in [coordinator, zombie] where process?.name == name { process?.take(outcome) }
            for process in workers where process?.name == name { process?.take(outcome) }
        }
    }

    func jumpCalendar(by jump: Duration) {
        chronicle.hasJumped = true
        calendarAhead += jump
    }

    func loses(_ message: CoordinatorMessage, _ sender: String) -> Bool {
        switch message {
        case .effects: loses(.effect, sender)
        case .ack: loses(.acknowledgement, sender)
        default: false
        }
    }

    func loses(_ message: WorkerMessage, _ sender: String) -> Bool {
        switch message {
        case .events, .failures: loses(.event, sender)
        default: false
        }
    }

    private func loses(_ message: Message, _ sender: String) -> Bool {
        guard let index = losing.firstIndex(of: message) else { return false }
        losing.remove(at: index)
        tell("network", "loses a message of \(sender) with an \(message)")
        return true
    }

    /// Nothing reaches the coordinator from that place, or the other way, for so long.
    func cutOff(_ place: Int, for pause: Duration) {
        guard partitioned.insert(place).inserted else { return }
        tell("trouble", "\(workers[place]?.name ?? "place \(place)") is cut off for \(pause)")
        workers[place]?.link?.muted = Set(Link.Way.allCases)
        plan(after: pause) { $0.heal(place) }
    }
}
