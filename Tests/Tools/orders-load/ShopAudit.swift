import Foundation
import MobiusClient
import MobiusProcess
import MobiusProgram
import MobiusWire
import OrderLedgers
import Orders

/// All orders of the shop, compared with the three ledgers, the statistics and the customers' lists.
struct ShopAudit {
    let client: FleetClient
    let patience: Duration
    let concurrency: Int

    /// What was found.
    struct Findings {
        /// How many orders the shop has, and how many entries the ledgers.
        var orders: Int, entries: Int
        /// What is wrong, a sentence each.
        var complaints: [String]
    }

    /// Reads everything; nobody may order meanwhile.
    func findings(_ visits: [LoadRun.Visit], _ ledgers: Ledgers, pieces: Int) async throws -> Findings {
        let orders = try await orders()
        let audit = try await Audit(
            orders: orders, initialStock: Catalog.prices.mapValues { _ in pieces }, stock: ledgers.stock,
            payments: ledgers.payments, shipping: ledgers.shipping)
        let entries = audit.stock.count + audit.payments.count + audit.shipping.count
        let complaints =
            audit.complaints + changes(visits, orders) + (try await statistics(orders))
            + (try await customers(visits))
        return Findings(orders: orders.count, entries: entries, complaints: complaints)
    }

    /// Every order that the coordinator knows; the loop of one that was refused is empty.
    private func orders() async throws -> [String: Saga] {
        var orders: [String: Saga] = [:]
        var after: LoopID?
        repeat {
            let page = try await client.loops(prefix: "order/", after: after, timeout: patience)
            after = page.next
            let models = try await concurrently(page.loops.map(\.loop), atOnce: concurrency) {
                [client, patience] loop in
                (loop.name, try await client.model(of: Order.self, loop: loop, timeout: patience))
            }
            for case (let name, .order(let saga)) in models { orders[name] = saga }
        } while after != nil
        return orders
    }

    /// An end is an end: the model that a customer saw at the end is the model now.
    private func changes(_ visits: [LoadRun.Visit], _ orders: [String: Saga]) -> [String] {
        visits.compactMap { visit in
            guard visit.saga != orders[visit.order.loop] else { return nil }
            let (seen, found) = (visit.saga.map { "\($0.stage)" }, orders[visit.order.loop].map { "\($0.stage)" })
            return "\(visit.order.loop) is \(found ?? "no order"), but its customer saw it as \(seen ?? "refused")."
        }
    }

    /// Every end is counted once; the last reports may be under way.
    private func statistics(_ orders: [String: Saga]) async throws -> [String] {
        var wanted = Statistics()
        for saga in orders.values {
            if case .delivered(let parcel) = saga.stage {
                wanted.sold += 1
                wanted.revenue[parcel.day, default: 0] += saga.order.amount
            } else {
                wanted.notSold += 1
            }
        }
        guard let loop = Address<Statistics>.only.loop, !orders.isEmpty else { return [] }
        let counted = try await client.untilModel(of: Statistics.self, loop: loop, timeout: patience) { counted in
            counted.sold + counted.notSold >= orders.count
        }
        return counted == wanted ? [] : ["The statistics are \(counted), but the orders make \(wanted)."]
    }

    /// Each customer's loop lists the ends of the orders, at least of the newest hundred.
    private func customers(_ visits: [LoadRun.Visit]) async throws -> [String] {
        let placed = Dictionary(grouping: visits.filter { $0.saga != nil }, by: \.order.request.customer)
        return try await concurrently(placed, atOnce: concurrency) { [client, patience] name, visits in
            guard let loop = Address<Customer>(name).loop else { return [String]() }
            let customer = try await client.untilModel(of: Customer.self, loop: loop, timeout: patience) { customer in
                customer.orders.count >= min(visits.count, 100) && customer.orders.allSatisfy { $0.outcome != nil }
            }
            let known = Dictionary(customer.orders.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
            return visits.compactMap { visit in
                guard let saga = visit.saga, let found = known["\(visit.order.number)"]?.outcome else { return nil }
                let wanted = Self.outcome(of: saga)
                return found == wanted ? nil : "\(visit.order.loop) is \(found) for \(name), but was \(wanted)."
            }
        }.flatMap(\.self)
    }

    private static func outcome(of saga: Saga) -> Outcome {
        guard case .delivered(let parcel) = saga.stage else { return .notSold }
        return .sold(day: parcel.day, amount: saga.order.amount)
    }
}

/// The ledgers of the three pools, which must exist.
struct Ledgers {
    let stock: LedgerFile, payments: LedgerFile, shipping: LedgerFile

    init(stock: String, payments: String, shipping: String) throws {
        (self.stock, self.payments, self.shipping) =
            (try Self.open(stock), try Self.open(payments), try Self.open(shipping))
    }

    /// A path that is misspelled must not begin an empty ledger.
    private static func open(_ path: String) throws -> LedgerFile {
        guard FileManager.default.fileExists(atPath: path) else {
            throw FleetExit(
                .noInput,
                "There is no ledger \(path). Start the workers first, and name their ledgers, or leave out the audit with --no-audit."
            )
        }
        do {
            return try LedgerFile(path: path)
        } catch {
            throw FleetExit(.noInput, "The ledger \(path) cannot be read: \(error)")
        }
    }
}
