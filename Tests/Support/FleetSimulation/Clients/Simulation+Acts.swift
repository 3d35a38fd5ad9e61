import MobiusDriver
import MobiusEngine
import MobiusProgram
import MobiusTestKit
import MobiusWire

// Operators who cancel, fail and complete effects, and let timers fire.
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

    /// Handles the answer to an act.
    ///
    /// - Returns: whether the request was one.
    func handleActAnswer(_ request: RequestID, _ answer: ClientAnswer) -> Bool {
        guard let (id, act) = acts.removeValue(forKey: request) else { return false }
        trace("operator", "\(act.act) \(id): \(answer.command)")
        if case .done(let confirmation) = answer, !confirmation.repeated { history.confirmed(act, on: id) }
        return true
    }
}
