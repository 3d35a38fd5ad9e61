import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusWire

/// An event from outside whose sender waits for its confirmation.
struct OpenRequest<Program: LoopProgram> {
    let request: Scenario<Program>.Request
    /// The numbers under which it was sent.
    var numbers: Set<RequestID> = []
    var isAnswered = false
}

// Senders outside of the effects: each repeats its event, under its key, until it is confirmed.
extension World {
    func send(_ request: Scenario<Program>.Request) {
        requests.append(OpenRequest(request: request))
        openRequests += 1
        let index = requests.count - 1
        plan(after: request.after) { $0.send(index) }
    }

    private func send(_ index: Int) {
        guard !requests[index].isAnswered else { return }
        if requests[index].numbers.isEmpty, stage != nil {
            let request = requests[index].request
            tell("client", "sends \(request.event.map { "\($0)" } ?? "nonsense"), key \(request.key)")
        }
        plan(after: chance.milliseconds(100...400)) { $0.send(index) }
        guard let coordinator, coordinator.isAlive else { return }
        let request = requests[index].request
        lastRequest += 1
        let isClient = chance.percent(50)
        let number = RequestID(isClient ? RequestID.firstOfClients + lastRequest : lastRequest)
        requests[index].numbers.insert(number)
        trace("client", "sends \(request.key) to \(coordinator.name)")
        let event = request.event.map(payload) ?? nonsense(8)
        if isClient {
            coordinator.take(.send(loop: request.loop, key: request.key, event: event), as: number)
        } else {
            coordinator.send(number, to: request.loop, key: request.key, event)
        }
    }

    /// The answer to a request.
    func answered(_ number: RequestID, _ answer: Answer) {
        guard !operated(number, answer) else { return }
        guard let index = requests.firstIndex(where: { $0.numbers.contains(number) }) else {
            complain(.conduct, "a request was answered that nobody made")
            return
        }
        let request = requests[index].request
        trace("client", "\(request.key): \(answer)")
        let wasAnswered = requests[index].isAnswered
        defer { if requests[index].isAnswered, !wasAnswered { openRequests -= 1 } }
        switch answer {
        case .later: break
        case .notFound: complain(.conduct, "\(request.key) was answered that its loop is not there")
        case .done:
            requests[index].isAnswered = true
            chronicle.confirmed(request.loop, request.key)
            if request.event == nil { complain(.conduct, "\(request.key) cannot be read, and was confirmed") }
        case .refused(let reason):
            requests[index].isAnswered = true
            if request.event != nil { complain(.conduct, "\(request.key) was refused: \(reason)") }
        }
    }
}

/// What a sender from outside is told.
enum Answer {
    /// The event is on disk.
    case done
    /// It was not taken; the sender asks again.
    case later
    /// What it is about is not there.
    case notFound
    /// It was not taken, and asking again is of no use.
    case refused(String)
}
