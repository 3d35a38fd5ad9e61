import Foundation
import MobiusClient
import MobiusProcess
import MobiusWire
import OrderLedgers
import Orders

/// All orders of the shop, compared with the three ledgers and the statistics.
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
        let complaints = audit.complaints + changes(visits, orders) + (try await statistics(orders))
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
                (loop.name, try await client.model(of: Orders.self, loop: loop, timeout: patience))
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
        guard let loop = LoopID(Orders.statisticsLoop), !orders.isEmpty else { return [] }
        let model = try await client.untilModel(of: Orders.self, loop: loop, timeout: patience) { model in
            guard case .statistics(let counted) = model else { return true }
            return counted.sold + counted.notSold >= orders.count
        }
        return model == .statistics(wanted) ? [] : ["The statistics are \(model), but the orders make \(wanted)."]
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
