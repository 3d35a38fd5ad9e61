import MobiusCore
import MobiusEngine
import MobiusWire

/// A kind of message of which a test can drop the next one.
enum Message {
    case effect
    case event
    case acknowledgement
}

// The functions of the world that a `TestFleet` uses.
extension World {
    /// Passes the outcomes of real handlers to their processes.
    func takeOutcomes() {
        for (name, outcome) in stage?.takeOutcomes() ?? [] {
            for process in coordinators where process.name == name { process.handle(outcome) }
            for process in workers where process?.name == name { process?.handle(outcome) }
        }
    }

    package func jumpCalendar(by jump: Duration) {
        history.hasJumped = true
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
        guard let index = messagesToDrop.firstIndex(of: message) else { return false }
        messagesToDrop.remove(at: index)
        log("network", "loses a message from \(sender) with an \(message)")
        return true
    }

    /// Drops all messages between the place and the coordinator for `pause`.
    func cutOff(_ place: Int, for pause: Duration) {
        guard partitioned.insert(place).inserted else { return }
        log("trouble", "\(workers[place]?.name ?? "place \(place)") is cut off for \(pause)")
        for port in workers[place]?.ports ?? [] { port.link?.muted = Set(Link.Way.allCases) }
        plan(after: pause) { $0.heal(place) }
    }
}
