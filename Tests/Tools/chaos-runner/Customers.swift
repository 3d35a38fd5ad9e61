import Bank
import BankFleet
import FleetTestSupport
import Foundation
import MobiusClient
import Synchronization

/// Customers who order transfers, lists and audits through a client of the product's, and wait for each confirmation.
///
/// The client asks again by itself, whatever becomes of the coordinator; a customer whose patience ends asks under the same key.
final class Customers: Sendable {
    private struct State {
        /// The keys of orders that are not confirmed.
        var open: Set<String> = []
        var ordered = 0
        /// How many orders were confirmed as applied before.
        var repeated = 0
        /// How many times a customer's patience ended.
        var impatience = 0
        /// The keys of confirmed orders, in order.
        var confirmed: [String] = []
        var confirmedSet: Set<String> = []
        var interest: String?
        /// Orders that the coordinator did not want.
        var refusals: [String] = []
    }

    private let client: FleetClient
    private let state = Mutex(State())
    private static let accounts = 20

    init(connect endpoint: String) {
        client = FleetClient(connect: endpoint)
        for account in 1...Self.accounts {
            add("account-\(account)", .accountOpened(account, balance: 1_000_000))
        }
    }

    var areWaiting: Bool { state.withLock { !$0.open.isEmpty } }
    /// Whether interest runs that nobody has ended.
    var haveInterest: Bool { state.withLock { $0.interest != nil } }
    var confirmed: [String] { state.withLock { $0.confirmed } }
    var refusals: [String] { state.withLock { $0.refusals } }

    func count(into tally: inout Tally) {
        state.withLock { state in
            (tally.ordered, tally.confirmed) = (state.ordered, state.confirmed.count)
            (tally.repeated, tally.impatience) = (state.repeated, state.impatience)
        }
    }

    func leave() async { await client.close() }

    private func add(_ key: String, _ event: Bank.Event, twice: Bool = false) {
        state.withLock { state in
            state.ordered += 1
            state.open.insert(key)
        }
        // As by a customer whose confirmation was lost.
        for _ in 0..<(twice ? 2 : 1) { Task { await place(key, event) } }
    }

    private func place(_ key: String, _ event: Bank.Event) async {
        while true {
            do {
                let sent = try await client.send(event, key: key, timeout: .seconds(15))
                confirm(key, isRepeated: sent.isRepeated)
                return
            } catch let error as FleetClientError where error.code == .refusedByProgram {
                confirm(key, isRepeated: false)  // the order is on disk, and against the bank's rules
                return
            } catch let error as FleetClientError where [.timedOut, .busy, .unreachable].contains(error.code) {
                state.withLock { $0.impatience += 1 }
            } catch let error as FleetClientError where error.code == .closed {
                return
            } catch {
                state.withLock { $0.refusals.append("order \(key) was refused: \(error)") }
                return
            }
        }
    }

    private func confirm(_ key: String, isRepeated: Bool) {
        state.withLock { state in
            if isRepeated { state.repeated += 1 }
            state.open.remove(key)
            if state.confirmedSet.insert(key).inserted { state.confirmed.append(key) }
        }
    }

    /// A new order, and sometimes twice.
    func order(using random: inout some RandomNumberGenerator) {
        let (number, interest) = state.withLock { ($0.ordered, $0.interest) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<3: add("audit-\(number)", .auditRequested(number))
        case 3..<6:
            let request = Bank.StatementRequest(id: "list-\(number)", lines: Int.random(in: 1...20, using: &random))
            add(request.id, .statementRequested(request))
        case 6 where interest == nil:
            let name = "interest-\(number)"
            state.withLock { $0.interest = name }
            add(name, .interestAgreed(name))
        case 6: endInterest()
        default:
            let route = (0..<Int.random(in: 2...4, using: &random)).map { _ in
                Int.random(in: 1...Self.accounts, using: &random)
            }
            let request = Bank.TransferRequest(
                id: "t\(number)", route: route, amount: Int.random(in: 1...500, using: &random),
                wantsLetter: Int.random(in: 0..<3, using: &random) == 0,
                isWatched: Int.random(in: 0..<5, using: &random) == 0)
            add(request.id, .transferRequested(request), twice: Int.random(in: 0..<20, using: &random) == 0)
        }
    }

    /// No more interest: a repeating timer that was asked for ends.
    ///
    /// Not before the bank has confirmed that it began: two orders that nobody has confirmed have no order.
    func endInterest() {
        let name = state.withLock { state -> String? in
            guard let name = state.interest, state.confirmedSet.contains(name) else { return nil }
            state.interest = nil
            return name
        }
        if let name { add("end-\(name)", .interestEnded(name)) }
    }
}
