import MobiusCore
import MobiusDriver
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
        guard let letter = chronicle.letters[id], chronicle.asked[id] != nil, letter.round < 2,
            !operations.values.contains(where: { $0.letter.id == id }),
            let effect = try? effects.decode(letter.effect), scenario.mayRevive(effect)
        else { return }
        guard chance.percent(80) else {
            trace("operator", "takes out \(id)")
            return coordinator.take(.drop(id, round: letter.round), as: request(letter, isRetry: false))
        }
        retry(letter)
        guard chance.percent(50) else { return }
        // Another one wants the same, maybe before that is on disk.
        plan(after: chance.milliseconds(0...20)) { world in
            guard !world.isClosing, world.coordinator?.isAlive == true, world.chronicle.letters[id] == letter
            else { return }
            world.retry(letter)
        }
    }

    private func retry(_ letter: DeadLetter) {
        trace("operator", "wants \(letter.id) to be tried again")
        coordinator?.take(.retry(letter.id, round: letter.round), as: request(letter, isRetry: true))
    }

    private func request(_ letter: DeadLetter, isRetry: Bool) -> RequestID {
        lastRequest += 1
        let request = RequestID(RequestID.firstOfClients + lastRequest)
        operations[request] = Operation(letter: letter, isRetry: isRetry)
        operatorRequests.insert(request)
        return request
    }

    /// Whether that was the answer to an operator's wish.
    func operated(_ number: RequestID, _ answer: Answer) -> Bool {
        guard let wish = operations.removeValue(forKey: number) else { return operatorRequests.contains(number) }
        trace("operator", "\(wish.letter.id): \(answer)")
        switch answer {
        case .done: chronicle.confirmed(wish)
        case .later, .notFound: break  // somebody else took it out
        case .refused(let reason): complain(.conduct, "an operator's wish was refused: \(reason)")
        }
        return true
    }
}

/// What an operator wants done about a dead letter.
struct Operation {
    let letter: DeadLetter
    /// Whether it is to be tried again, and not to be taken out.
    let isRetry: Bool
}

extension Chronicle {
    /// An operator was told that it is done: so it is on disk.
    func confirmed(_ wish: Operation) {
        let id = wish.letter.id
        if wish.isRetry, rounds[id, default: 0] <= wish.letter.round {
            complain(.nothingLost, "the retry of \(id) was confirmed before it was on disk")
        }
        if !wish.isRetry, letters[id]?.round == wish.letter.round {
            complain(.nothingLost, "that \(id) is taken out was confirmed before it was on disk")
        }
    }
}
