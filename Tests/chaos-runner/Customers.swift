import Bank
import BankFleet
import FleetTestSupport
import Foundation

/// Customers who order transfers, lists and audits, and repeat each order until it is confirmed.
struct Customers {
    /// What was ordered and not confirmed: the line, and when it was last said.
    private var open: [String: (line: String, said: ContinuousClock.Instant)] = [:]
    private(set) var ordered = 0
    private(set) var repeated = 0
    /// The keys of confirmed orders, in order.
    private(set) var confirmed: [String] = []
    private var confirmedSet: Set<String> = []
    /// Confirmed orders that are said again once more, as by a customer whose confirmation was lost.
    private var doubts: [String] = []
    private var interest: String?
    private var listener: Int32 = 0
    private var heard = 0
    private(set) var status: BankStatus?
    private let patience = Duration.seconds(5)
    static let accounts = 20

    init() {
        for account in 1...Self.accounts { add("open \(account) 1000000") }
    }

    var areWaiting: Bool { !open.isEmpty }

    private mutating func add(_ line: String) {
        ordered += 1
        open[BankProcesses.key(line)] = (line, .now - .seconds(3600))
    }

    /// A new order, and sometimes an old one again.
    mutating func order(using random: inout some RandomNumberGenerator) {
        let number = ordered
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<3: add("audit \(number)")
        case 3..<6: add("list list-\(number) \(Int.random(in: 1...20, using: &random))")
        case 6 where interest == nil:
            add("interest interest-\(number)")
            interest = "interest-\(number)"
        case 6: endInterest()
        default:
            let route = (0..<Int.random(in: 2...4, using: &random)).map { _ in
                String(Int.random(in: 1...Self.accounts, using: &random))
            }
            let amount = Int.random(in: 1...500, using: &random)
            let wishes =
                (Int.random(in: 0..<3, using: &random) == 0 ? " letter" : "")
                + (Int.random(in: 0..<5, using: &random) == 0 ? " watched" : "")
            let line = "transfer t\(number) \(route.joined(separator: ",")) \(amount)\(wishes)"
            add(line)
            if Int.random(in: 0..<20, using: &random) == 0 { doubts.append(line) }
        }
    }

    /// No more interest: a repeating timer that was asked for ends.
    ///
    /// Not before the bank has confirmed that it began: two orders that nobody has confirmed have no order.
    mutating func endInterest() {
        guard let name = interest, confirmedSet.contains(name) else { return }
        add("end-interest \(name)")
        interest = nil
    }

    /// Whether interest runs that nobody has ended.
    var haveInterest: Bool { interest != nil }

    /// Says what has to be said to this coordinator, and takes in what it answered.
    mutating func talk(to coordinator: TestProcess, at now: ContinuousClock.Instant) {
        if listener != coordinator.pid {
            listener = coordinator.pid
            heard = 0
            // A new one knows of nothing that was not confirmed, or does: that is the journal's business.
            for key in open.keys { open[key]?.said = now - .seconds(3600) }
        }
        listen(to: coordinator)
        for (key, order) in open where now - order.said > patience {
            if order.said > now - .seconds(3000) { repeated += 1 }
            try? coordinator.type(order.line + "\n")
            open[key]?.said = now
        }
        for line in doubts {
            repeated += 1
            try? coordinator.type(line + "\n")
        }
        doubts = []
    }

    /// Takes in what the coordinator answered so far; also the last words of a dead one.
    mutating func listen(to coordinator: TestProcess) {
        guard listener == coordinator.pid else { return }
        let lines = coordinator.output.elements
        guard lines.count > heard else { return }
        for line in lines[heard...] {
            if line.hasPrefix("ok ") {
                let key = String(line.dropFirst(3))
                open[key] = nil
                if confirmedSet.insert(key).inserted { confirmed.append(key) }
            } else if line.hasPrefix("status ") {
                status = try? JSONDecoder().decode(BankStatus.self, from: Data(line.dropFirst(7).utf8))
            }
        }
        heard = lines.count
    }
}
