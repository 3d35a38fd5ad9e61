import MobiusDriver
import MobiusEngine
import MobiusProgram
import MobiusTestKit
import MobiusWire

// Operators who cancel, fail and complete effects, let timers fire, and end loops.
extension Simulation {
    func simulateActs() {
        guard !isClosing else { return }
        plan(after: chance.milliseconds(100...1500)) { $0.simulateActs() }
        let pending = history.pending
        guard !pending.isEmpty else { return }
        let id = chance.pick(pending)
        guard let coordinator = coordinator(of: id.loop), coordinator.isAlive, let asked = history.requested[id],
            let effect = try? world.functions.effect(asked.effect, of: id.loop),
            let (act, event) = scenario.act(effect, &chance)
        else { return }
        let payload = event.flatMap { try? world.functions.encode(event: $0, for: id.loop) }
        let wanted = History.Act(act.name, payload)
        history.wants(wanted, on: id)
        let request = newRequest()
        acts[request] = (id, wanted)
        operatorRequests.insert(request)
        trace("operator", "wants to \(act.name) \(id)")
        coordinator.handle(.act(id, act, why: History.operatorsReason), as: request)
    }

    /// An operator ends a loop, and asks again until it has ended.
    func end(_ loop: LoopID) {
        guard !isClosing, !history.endedByHand.contains(loop) else { return }
        plan(after: chance.milliseconds(20...800)) { $0.end(loop) }
        guard history.next[loop] != nil, let coordinator = coordinator(of: loop), coordinator.isAlive else { return }
        history.wantsEnd(of: loop)
        let request = newRequest()
        ends[request] = loop
        operatorRequests.insert(request)
        trace("operator", "wants to end \(loop)")
        coordinator.handle(.end(loop, why: History.operatorsReason), as: request)
    }

    /// Handles the answer to an act.
    ///
    /// - Returns: whether the request was one.
    func handleActAnswer(_ request: RequestID, _ answer: ClientAnswer) -> Bool {
        if let loop = ends.removeValue(forKey: request) {
            trace("operator", "end \(loop): \(answer.command)")
            if case .done = answer { history.confirmedEnd(of: loop) }
            return true
        }
        guard let (id, act) = acts.removeValue(forKey: request) else { return false }
        trace("operator", "\(act.act) \(id): \(answer.command)")
        if case .done(let confirmation) = answer, !confirmation.repeated { history.confirmed(act, on: id) }
        return true
    }
}
