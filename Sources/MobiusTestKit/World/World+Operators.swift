import MobiusCore
import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusWire

// Operators look through the dead letters, and have some of them tried again or taken out.
extension World {
    func operate() {
        guard !isClosing else { return }
        plan(after: chance.milliseconds(100...1500)) { $0.operate() }
        guard let coordinator, coordinator.isAlive, !chronicle.letters.isEmpty else { return }
        let id = chance.pick(chronicle.letters.keys.sorted())
        guard let letter = chronicle.letters[id], let asked = chronicle.asked[id], letter.round < 2,
            !operations.values.contains(id),
            let effect = try? effects.decode(letter.effect), scenario.mayRevive(effect)
        else { return }
        lastRequest += 1
        let request = RequestID(lastRequest)
        operations[request] = id
        operatorRequests.insert(request)
        if chance.percent(80) {
            trace("operator", "wants \(id) to be tried again")
            coordinator.tell(.revive(request, letter, asked.plan))
        } else {
            trace("operator", "takes out \(id)")
            coordinator.tell(.drop(request, id))
        }
    }

    /// Whether that was the answer to an operator's wish.
    func operated(_ number: RequestID, _ answer: Answer) -> Bool {
        guard let id = operations.removeValue(forKey: number) else { return operatorRequests.contains(number) }
        trace("operator", "\(id): \(answer)")
        if case .refused(let reason) = answer { complain(.conduct, "an operator's wish was refused: \(reason)") }
        return true
    }
}
