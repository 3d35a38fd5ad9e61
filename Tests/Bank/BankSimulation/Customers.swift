import Bank
import FleetSimulation
import MobiusTestKit
import MobiusWire

/// What the bank's customers want.
enum Customers {
    /// Accounts, and a few wishes of every kind, some of them senseless.
    static func requests(_ loop: LoopID, _ draw: inout Chance, oversize: Bool) -> [Scenario<FallibleBank>.Request] {
        var requests: [Scenario<FallibleBank>.Request] = []
        func add(_ key: String, _ event: Bank.Event?, _ draw: inout Chance) {
            requests.append(.init(loop: loop, key: key, event: event, after: draw.milliseconds(0...1500)))
        }
        for account in 1...4 { add("account \(account)", .accountOpened(account, balance: 1000), &draw) }
        for number in 1...draw.number(3...8) {
            let id = "t\(number)"
            let route = (0...draw.number(1...3)).map { _ in draw.number(1...4) }
            let request = Bank.TransferRequest(
                id: id, route: route, amount: draw.pick([1, 9, 13, 40, 99, 250, 700, 5000]),
                wantsLetter: draw.percent(40),
                isWatched: draw.percent(40))
            add(id, .transferRequested(request), &draw)
        }
        for number in 0..<draw.number(0...3) {
            let padding = oversize && draw.percent(40) ? String(repeating: "x", count: 3000) : ""
            let id = "list \(number)\(padding)"
            add(id, .statementRequested(Bank.StatementRequest(id: id, lines: draw.number(0...5))), &draw)
        }
        for number in 0..<draw.number(0...2) { add("audit \(number)", .auditRequested(number), &draw) }
        if draw.percent(30) { add("interest", .interestAgreed("interest"), &draw) }
        if draw.percent(20) { add("nonsense", nil, &draw) }
        return requests
    }

    /// Money that goes from loop to loop; one of the loops begins with it.
    static func remittances(
        _ loops: [LoopID], _ draw: inout Chance, named prefix: String = "r", percent: Int = 50
    ) -> [Scenario<FallibleBank>.Request] {
        guard draw.percent(percent) else { return [] }
        let branch = BankRun.branch
        return (1...draw.number(1...8)).map { number in
            let (from, to) = (draw.pick(loops), draw.pick(loops + [branch]))
            let remittance = Bank.Remittance(
                id: "\(prefix)\(number)", from: from.name, to: to.name, account: draw.number(1...4),
                amount: draw.pick([1, 10, 100, 900]), returns: draw.pick([0, 0, 1, 5]))
            return .init(
                loop: from, key: remittance.id, event: .remittanceRequested(remittance),
                after: draw.milliseconds(0...1500))
        }
    }

    /// Loops that close in the middle of their work.
    static func closings(_ loops: [LoopID], _ draw: inout Chance) -> [Scenario<FallibleBank>.Request] {
        (loops + [BankRun.branch]).compactMap { loop in
            guard draw.percent(loop == .main ? 10 : 40) else { return nil }
            return .init(loop: loop, key: "closed", event: .closed, after: draw.milliseconds(300...3000))
        }
    }

    /// Ends what would go on for ever.
    static func farewell(
        _ requests: [Scenario<FallibleBank>.Request], of loop: LoopID
    ) -> [Scenario<FallibleBank>.Request] {
        guard requests.contains(where: { $0.loop == loop && $0.key == "interest" }) else { return [] }
        return [.init(loop: loop, key: "interest ended", event: .interestEnded("interest"), after: .zero)]
    }

    /// Lists of several keys that wait for long, and those of another key, which come one after the other.
    static func rush(_ seed: UInt64) -> [Scenario<FallibleBank>.Request] {
        // Drawn apart, so that the rest of the run is what it would be without.
        var draw = Chance(seed: seed &+ 0x2054)
        func request(_ number: Int, _ lines: Int, _ after: Duration) -> Scenario<FallibleBank>.Request {
            let id = "rush \(lines).\(number)"
            return .init(
                loop: .main, key: id, event: .statementRequested(Bank.StatementRequest(id: id, lines: lines)),
                after: after)
        }
        let (start, gap) = (draw.milliseconds(100...1000), draw.milliseconds(1...20))
        let waiting = (0..<5).flatMap { lines in (0..<6).map { request($0, lines, start) } }
        return waiting + (0..<30).map { request($0, 5, start + gap * $0) }
    }

    /// Transfers that wait before the first worker comes.
    static func queue(_ requests: inout [Scenario<FallibleBank>.Request]) {
        for place in requests.indices where requests[place].loop == .main && requests[place].key.hasPrefix("account") {
            requests[place].after = .zero
        }
        for number in 1...8 {
            let id = "queue \(number)"
            let transfer = Bank.TransferRequest(id: id, route: [number % 4 + 1, (number + 1) % 4 + 1], amount: 1)
            requests.append(
                .init(loop: .main, key: id, event: .transferRequested(transfer), after: .milliseconds(1)))
        }
    }

    /// More than all workers can take at once.
    static func flood(_ places: [Scenario<FallibleBank>.Place]) -> [Scenario<FallibleBank>.Request] {
        let count = places.reduce(0) { $0 + $1.capacity } + 3
        return (0..<count).map { number in
            let id = "flood \(number)"
            return .init(
                loop: .main, key: id, event: .statementRequested(Bank.StatementRequest(id: id, lines: 3)), after: .zero)
        }
    }
}
