import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusProgram
package import MobiusTestKit
import MobiusWire

// Operators who retry some dead letters and drop others.
extension Simulation {
    func simulateOperators() {
        guard !isClosing else { return }
        plan(after: chance.milliseconds(100...1500)) { $0.simulateOperators() }
        guard !history.deadLetters.isEmpty else { return }
        let id = chance.pick(history.deadLetters.keys.sorted())
        guard let coordinator = coordinator(of: id.loop), coordinator.isAlive, let letter = history.deadLetters[id],
            history.requested[id] != nil, letter.round < 2,
            !operations.values.contains(where: { $0.letter.id == id }),
            let effect = try? world.functions.effect(letter.effect, of: letter.id.loop), scenario.mayRequeue(effect)
        else { return }
        guard chance.percent(80) else {
            trace("operator", "drops the dead letter \(id)")
            return coordinator.handle(.drop(id, round: letter.round), as: request(letter, isRetry: false, coordinator))
        }
        retry(letter, coordinator)
        guard chance.percent(50) else { return }
        // Another operator requests the same, possibly before the first retry is on disk.
        plan(after: chance.milliseconds(0...20)) { simulation in
            guard !simulation.isClosing, let coordinator = simulation.coordinator(of: id.loop), coordinator.isAlive,
                simulation.history.deadLetters[id] == letter
            else { return }
            simulation.retry(letter, coordinator)
        }
    }

    private func retry(_ letter: DeadLetter, _ coordinator: CoordinatorProcess<Program>) {
        trace("operator", "retries the dead letter \(letter.id)")
        coordinator.handle(
            .retry(letter.id, round: letter.round), as: request(letter, isRetry: true, coordinator))
    }

    private func request(
        _ letter: DeadLetter, isRetry: Bool, _ coordinator: CoordinatorProcess<Program>
    ) -> RequestID {
        let request = newRequest()
        operations[request] = Operation(letter: letter, isRetry: isRetry, epoch: coordinator.epoch)
        operatorRequests.insert(request)
        return request
    }

    package func removed(_ process: CoordinatorProcess<Program>) {
        // Nobody will answer them.
        operations = operations.filter { $0.value.epoch != process.epoch }
    }

    /// Handles the answer to an operator's request.
    ///
    /// - Returns: whether the request was one of an operator.
    func handleOperatorAnswer(_ number: RequestID, _ answer: ClientAnswer) -> Bool {
        if handleActAnswer(number, answer) || handlePauseAnswer(number, answer) { return true }
        guard let answer = Answer(answer) else { return false }
        guard let operation = operations.removeValue(forKey: number) else { return operatorRequests.contains(number) }
        trace("operator", "\(operation.letter.id): \(answer)")
        switch answer {
        case .done: history.confirmed(operation)
        case .later, .notFound, .dropped: break  // another operator dropped or retried it
        case .held: if !mayBeHeld(operation.letter.id.loop) { violated(.quarantine, "an operator was refused: held") }
        case .refused where history.ends[operation.letter.id.loop] != nil: break
        case .refused(let reason)
        where reason.contains("trapped the process")
            && trapRecord.doings[operation.letter.id.loop]?.contains(
                "planning the dead letter \(operation.letter.id)") == true:
            break
        case .refused(let reason): violated(.conduct, "an operator's request was refused: \(reason)")
        }
        return true
    }
}

/// An operator's request to retry or drop a dead letter.
struct Operation {
    let letter: DeadLetter
    /// Whether the effect is to be retried; otherwise the letter is dropped.
    let isRetry: Bool
    /// The epoch of the coordinator that got it.
    let epoch: UInt64
}

extension History {
    /// Checks that a confirmed request of an operator is on disk.
    func confirmed(_ operation: Operation) {
        let id = operation.letter.id
        if operation.isRetry, rounds[id, default: 0] <= operation.letter.round {
            violated(.nothingLost, "the retry of \(id) was confirmed before it was on disk")
        }
        if !operation.isRetry, deadLetters[id]?.round == operation.letter.round {
            violated(.nothingLost, "the removal of the dead letter \(id) was confirmed before it was on disk")
        }
    }
}
