import MobiusCore

// Money: from a customer's wish to the end of its last step.
extension Bank {
    static func open(_ account: Int, _ balance: Int, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        guard model.balances[account] == nil else { return surprise("account \(account) was opened twice", &model) }
        model.balances[account] = balance
        model.deposited += balance
        return .next(effects: [.answer(model.events)])
    }

    static func begin(_ request: TransferRequest, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        guard model.transfers[request.id] == nil else {
            return surprise("transfer \(request.id) was requested twice", &model)
        }
        var transfer = Transfer(request: request)
        let isKnown = request.route.count >= 2 && request.route.allSatisfy { model.balances[$0] != nil }
        guard isKnown, request.amount > 0, let from = request.route.first,
            let balance = model.balances[from], balance >= request.amount
        else {
            transfer.state = .refused
            model.transfers[request.id] = transfer
            return .next(effects: [.refuse(model.events)])
        }
        model.balances[from] = balance - request.amount
        model.transfers[request.id] = transfer
        return .next(
            effects: [.book(request.booking(0)), .answer(model.events)]
                + (request.isWatched ? [.watch(request.id)] : []))
    }

    static func booked(_ id: String, _ hop: Int, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        guard var transfer = model.transfers[id], transfer.isOpen, transfer.booked == hop else {
            return surprise("step \(hop) of transfer \(id) was booked, and nobody waited for that", &model)
        }
        transfer.booked += 1
        transfer.state = .asked
        let request = transfer.request
        let isLast = transfer.booked == request.route.count - 1
        if isLast { transfer.state = .done }
        model.transfers[id] = transfer
        guard isLast else { return .next(effects: [.book(request.booking(hop + 1))]) }
        model.balances[request.route[hop + 1], default: 0] += request.amount
        return .next(effects: farewell(request, &model))
    }

    static func ended(
        _ id: String, _ hop: Int, _ state: TransferState, _ model: inout Model
    ) -> Change<Effect> {
        model.events += 1
        guard var transfer = model.transfers[id], transfer.isOpen, transfer.booked == hop else {
            return surprise("step \(hop) of transfer \(id) is \(state), and nobody waited for that", &model)
        }
        transfer.state = state
        model.transfers[id] = transfer
        let request = transfer.request
        if state == .declined { model.balances[request.route[hop], default: 0] += request.amount }
        return .next(effects: farewell(request, &model))
    }

    private static func farewell(_ request: TransferRequest, _ model: inout Model) -> [Effect] {
        var effects: [Effect] = []
        if request.isWatched { effects.append(.unwatch(request.id)) }
        // An operator may have a step tried again that was given up: the letter about that has been sent.
        if request.wantsLetter, model.letters[request.id] == nil {
            model.letters[request.id] = .asked
            effects.append(.letter(request.id))
        }
        return effects
    }

    static func surprise(_ sentence: String, _ model: inout Model) -> Change<Effect> {
        model.surprises.append(sentence)
        return .next()
    }
}

extension Bank.TransferRequest {
    func booking(_ hop: Int) -> Bank.Booking {
        Bank.Booking(id: id, hop: hop, from: route[hop], to: route[hop + 1], amount: amount)
    }
}
