import MobiusCore

// What the bank does beside moving money: letters, lists, audits, watches, interest.
extension Bank {
    static func letterEnded(_ id: String, _ end: LetterState, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        guard model.letters[id] == .asked, end != .asked else {
            return surprise("the letter about \(id) ended (\(end)), and nobody waited for that", &model)
        }
        model.letters[id] = end
        return .next()
    }

    static func begin(_ request: StatementRequest, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        guard model.statements[request.id] == nil else {
            return surprise("list \(request.id) was requested twice", &model)
        }
        model.statements[request.id] = Statement(wanted: request.lines)
        return .next(effects: [.statement(request)])
    }

    /// Of a longer list the model keeps the newest line only: each follows on the one before it, as it is checked here.
    private static var longestKept: Int { 100_000 }

    static func receive(_ line: Int, of id: String, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        // Numbers only: with a second owner, every line would copy the list.
        let open = model.statements[id].flatMap { $0.hasFailed ? nil : (last: $0.lines.last ?? 0, wanted: $0.wanted) }
        guard let open else {
            return surprise("line \(line) of list \(id) came, and nobody waited for it", &model)
        }
        // Each attempt begins anew, and none leaves out a line.
        guard line == 1 || line == open.last + 1, line <= open.wanted else {
            return surprise("line \(line) of list \(id) came after \(open.last)", &model)
        }
        if open.wanted > longestKept { model.statements[id]?.lines.removeAll(keepingCapacity: true) }
        model.statements[id]?.lines.append(line)
        return .next()
    }

    static func statementFailed(_ id: String, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        guard let statement = model.statements[id], !statement.hasFailed else {
            return surprise("list \(id) failed, and nobody waited for that", &model)
        }
        model.statements[id]?.hasFailed = true
        return .next()
    }

    static func beginAudit(_ number: Int, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        guard model.audits[number] == nil else { return surprise("audit \(number) was requested twice", &model) }
        model.audits[number] = false
        return .next(effects: [.audit(number), .archive(number)])
    }

    static func endAudit(_ number: Int, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        guard model.audits[number] == false else {
            return surprise("audit \(number) ended, and nobody waited for that", &model)
        }
        model.audits[number] = true
        return .next()
    }

    static func archiveFailed(_ number: Int, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        guard model.audits[number] != nil else {
            return surprise("audit \(number) could not be put away, and nobody waited for that", &model)
        }
        // Again, when an operator had it tried again.
        if !model.unarchived.contains(number) { model.unarchived.append(number) }
        return .next()
    }

    static func watchFired(_ id: String, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        guard let transfer = model.transfers[id], transfer.request.isWatched, model.watches[id] == nil else {
            return surprise("the watch over \(id) fired, and nobody waited for that", &model)
        }
        // The watch is cancelled once the transfer's end is on disk: until then it may fire.
        model.watches[id] = transfer.state == .asked
        return .next()
    }

    static func agree(_ name: String, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        guard model.interest[name] == nil else { return surprise("interest \(name) was agreed twice", &model) }
        model.interest[name] = Interest()
        return .next(effects: [.interest(name)])
    }

    static func pay(_ name: String, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        guard let interest = model.interest[name] else {
            return surprise("interest \(name) is due, and nobody agreed to it", &model)
        }
        guard !interest.hasEnded else { return .next() }  // due before the end was on disk
        model.interest[name]?.times += 1
        guard let account = model.balances.keys.min() else { return .next() }
        model.balances[account, default: 0] += 1
        model.deposited += 1
        return .next()
    }

    static func endInterest(_ name: String, _ model: inout Model) -> Change<Effect> {
        model.events += 1
        guard let interest = model.interest[name], !interest.hasEnded else {
            return surprise("interest \(name) ended, and nobody agreed to it", &model)
        }
        model.interest[name]?.hasEnded = true
        return .next(effects: [.endInterest(name)])
    }
}
