import FleetTestSupport
import Foundation
import MobiusClient
import MobiusWire
import OrderLedgers
import Orders
import TestTraits
import Testing

/// `orders-load` against the shop's real processes.
@Suite(.patient)
struct OrdersLoadTests {
    /// What it prints with `--json`.
    private struct Report: Decodable {
        var orders: Int, auditedOrders: Int?, ledgerEntries: Int?
        var outcomes: [String: Int], complaints: [String]
    }

    private func load(_ shop: OrderProcesses, _ options: [String]) throws -> TestProcess {
        try TestProcess(
            "orders-load", ["--connect", shop.clients, "--timeout", "2m"] + options, in: shop.folder.path)
    }

    private func report(_ load: TestProcess) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(load.output.elements.joined().utf8))
    }

    @Test("places orders through FleetClient and over HTTP, and finds all ledgers in order, until one is tampered with")
    func audits() async throws {
        let shop = try await OrderProcesses(pieces: 150)
        let options = ["--orders", "200", "--concurrency", "20", "--pieces", "150", "--http", shop.web, "--json"]
        let first = try load(shop, options)
        #expect(try await first.end() == .exited(0), "\(first.errors.elements)")
        let said = try report(first)
        #expect(said.complaints == [])
        #expect(said.orders == 200)
        // All outcomes are those that the mix provokes, each order has one, and refused ones are no orders.
        #expect(
            Set(said.outcomes.keys).isSubset(of: ["cancelled", "delivered", "outOfStock", "refused", "undeliverable"]))
        #expect(said.outcomes.values.reduce(0, +) == 200)
        #expect(said.auditedOrders == 200 - (said.outcomes["refused"] ?? 0))
        for outcome in ["cancelled", "delivered", "refused", "undeliverable"] {
            #expect(said.outcomes[outcome] ?? 0 > 0, "\(outcome)")
        }

        // The same load again adds nothing: every order is known.
        let second = try load(shop, options)
        #expect(try await second.end() == .exited(0), "\(second.errors.elements)")
        #expect(try report(second).ledgerEntries == said.ledgerEntries)
        #expect(try report(second).outcomes == said.outcomes)

        _ = try await shop.ledger("shipping").once("an accident") { _ in
            let parcel = Parcel(number: 1, day: "2027-01-15")
            return Entry(loop: "order/2", .shipped, name: "tea", amount: 100, answer: .shipped(parcel))
        }
        let third = try load(shop, options)
        #expect(try await third.end() == .exited(1))
        let complaints = try report(third).complaints
        #expect(complaints.contains { $0.contains("order/2, ") && $0.contains("shipped") }, "\(complaints)")
        try await shop.end()
    }

    @Test("goes on while every process is killed")
    func survivesKills() async throws {
        // The credit is too small for the large orders.
        let shop = try await OrderProcesses(pieces: 1000, payments: ["--delay", "20", "--credit", "200000"])
        let options = [
            "--orders", "300", "--concurrency", "15", "--http", shop.web, "--json",
        ]
        let load = try load(shop, options)
        let client = FleetClient(connect: shop.clients, timeout: .seconds(60))
        for (number, killsWorkers) in [(40, true), (90, false), (140, true), (190, false)] {
            try await eventually("order \(number) has begun") {
                let page = try await client.loops(prefix: "order/\(number)", limit: 1)
                return page.loops.contains { $0.loop.name == "order/\(number)" }
            }
            if killsWorkers { try await shop.killWorkers() } else { try await shop.killCoordinator() }
        }
        #expect(try await load.end() == .exited(0), "\(load.errors.elements)")
        let said = try report(load)
        #expect(said.orders == 300)
        #expect(said.complaints == [])
        #expect(said.outcomes["declined"] ?? 0 > 0, "\(said.outcomes)")
        await client.close()
        try await shop.end()
    }

    @Test("says what is missing")
    func refusals() async throws {
        let folder = try TestFolder()
        func run(_ options: String...) async throws -> (end: TestProcess.End, errors: String) {
            let load = try TestProcess("orders-load", options, in: folder.path)
            return (try await load.end(), load.errors.elements.joined(separator: " "))
        }
        let blind = try await run("--stock", "stcok.ledger")
        #expect(blind.end == .exited(66) && blind.errors.contains("There is no ledger stcok.ledger"), "\(blind)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("stcok.ledger")))
        let nobody = "ipc://\(folder.file("nobody"))"
        let closed = try await run("--no-audit", "--orders", "1", "--connect", nobody, "--timeout", "100ms")
        #expect(closed.end == .exited(69) && closed.errors.contains(nobody), "\(closed)")
        let wrong = try await run("--concurrency", "0")
        #expect(wrong.end == .exited(64) && wrong.errors.contains("--concurrency must be"), "\(wrong)")
        let tls = try await run("--http", "ftp://127.0.0.1")
        #expect(tls.end == .exited(64) && tls.errors.contains("--http must be"), "\(tls)")
    }
}
