package import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusWire

/// An event from outside, and the state of its sender.
package struct OpenRequest<Program: LoopProgram> {
    package let request: FleetPlan<Program>.Request
    /// The ids under which the event was sent.
    var numbers: Set<RequestID> = []
    /// The confirmation that the sender got for its event.
    var confirmation: EventConfirmation?
    package var isAnswered = false
}

// Senders outside the fleet. Each sender repeats its event with the same key until it is confirmed.
extension World {
    package func send(_ request: FleetPlan<Program>.Request) {
        requests.append(OpenRequest(request: request))
        openRequests += 1
        let index = requests.count - 1
        plan(after: request.after) { $0.send(index) }
    }

    private func send(_ index: Int) {
        guard !requests[index].isAnswered else { return }
        if requests[index].numbers.isEmpty, stage != nil {
            let request = requests[index].request
            log("client", "sends \(request.event.map { "\($0)" } ?? "undecodable bytes"), key \(request.key)")
        }
        plan(after: chance.milliseconds(100...400)) { $0.send(index) }
        let request = requests[index].request
        guard let coordinator = contact(of: request.loop), coordinator.isAlive else { return }
        lastRequest += 1
        // A sender in the process of another shard goes through a client, too.
        let isClient = chance.percent(50) || coordinator.shard != shard(of: request.loop)
        let number = RequestID(isClient ? RequestID.firstOfClients + lastRequest : lastRequest)
        requests[index].numbers.insert(number)
        trace("client", "sends \(request.key) to \(coordinator.name)")
        let event = request.event.map { payload($0, for: request.loop) } ?? nonsense(8)
        if isClient {
            coordinator.handle(.send(loop: request.loop, key: request.key, event: event), as: number)
        } else {
            coordinator.send(number, to: request.loop, key: request.key, event)
        }
    }

    /// The coordinator process that a client of a loop calls.
    private func contact(of loop: LoopID) -> CoordinatorProcess<Program>? {
        guard let director else { return coordinator(of: loop) }
        return director.contact(of: loop)
    }

    /// Handles the answer to a request.
    func answered(_ number: RequestID, _ answer: Answer) {
        guard let index = requests.firstIndex(where: { $0.numbers.contains(number) }) else {
            violated(.conduct, "an answer matches no request")
            return
        }
        let request = requests[index].request
        trace("client", "\(request.key): \(answer)")
        let wasAnswered = requests[index].isAnswered
        defer { if requests[index].isAnswered, !wasAnswered { openRequests -= 1 } }
        switch answer {
        case .later: break
        case .notFound: violated(.conduct, "\(request.key) was answered with notFound")
        case .done(let confirmation) where confirmation.isOfNoLoop:
            requests[index].isAnswered = true
            requests[index].confirmation = confirmation
        case .done(let confirmation):
            requests[index].isAnswered = true
            requests[index].confirmation = confirmation
            history.confirmed(request.loop, request.key)
            history.checkReply(confirmation, to: request.key, of: request.loop)
            if request.event == nil { violated(.conduct, "\(request.key) cannot be decoded, but was confirmed") }
        case .held:
            if director?.mayBeHeld(request.loop) != true { violated(.quarantine, "\(request.key) was refused: held") }
        case .dropped:
            requests[index].isAnswered = true
            if director?.hasDropped(request.key, of: request.loop) != true {
                violated(.nothingLost, "\(request.key) counts as dropped, and nobody dropped it")
            }
        case .refused(let reason):
            requests[index].isAnswered = true
            if request.event != nil, history.ends[request.loop] == nil {
                violated(.conduct, "\(request.key) was refused: \(reason)")
            }
        }
    }
}

extension EventConfirmation {
    /// Whether `update` refused the event that would have begun its loop: nothing began, and nothing is on disk.
    fileprivate var isOfNoLoop: Bool {
        guard case .refusal = reply else { return false }
        return number == nil && !repeated
    }
}

/// The answer to a sender outside the fleet.
package enum Answer {
    /// The event is on disk.
    case done(EventConfirmation)
    /// The event was not accepted.
    ///
    /// The sender retries.
    case later
    /// The subject of the request does not exist.
    case notFound
    /// The loop of the event is held.
    ///
    /// The sender retries.
    case held
    /// An operator dropped the event.
    case dropped
    /// The event was refused for good.
    case refused(String)

    /// Reads a coordinator's answer; `nil` for one that no sender gets.
    package init?(_ answer: ClientAnswer) {
        switch answer {
        case .done(let confirmation): self = .done(confirmation)
        case .busy, .moved: self = .later
        case .dropped: self = .dropped
        case .refused(let refusal) where refusal.code == .held: self = .held
        case .refused(let refusal): self = .refused(refusal.reason)
        case .notFound: self = .notFound
        default: return nil
        }
    }
}
