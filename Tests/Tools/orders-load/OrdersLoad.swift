import ArgumentParser
import Foundation
import MobiusClient
import MobiusProcess
import Orders

/// Many customers of the shop, and its auditor.
@main struct OrdersLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "orders-load",
        abstract: "Places many orders, waits for their ends, and compares all ledgers.",
        discussion: """
            Half of the customers use FleetClient, the other half HTTP if --http is given. Of a hundred, eight cancel, \
            five send their order twice, and two order what the shop does not sell; one order in twenty goes to \
            Atlantis, one in fifty is very large. The numbers of the orders decide who does what: repeat the \
            command after a failure, and it goes on.

            Exit codes: 0 if all is as it has to be, 1 if not, 64 for wrong options, 66 without the ledgers, \
            69 if the shop does not answer.

            Examples:
              orders-load --orders 1000 --http http://127.0.0.1:8080 --pieces 100000
              orders-load --first 1001 --no-audit --json
            """)

    @Option(
        name: .customLong("connect"),
        help: ArgumentHelp(
            "The coordinator's endpoint for clients (default: MOBIUS_CONNECT_CLIENT, or \(FleetClient.defaultEndpoint)).",
            valueName: "endpoint"))
    var commandLineConnect: String?

    @Option(help: ArgumentHelp("The coordinator's HTTP server, for half of the customers.", valueName: "url"))
    var http: String?

    @Option(help: ArgumentHelp("How many orders.", valueName: "n"))
    var orders = 1000

    @Option(help: ArgumentHelp("The number of the first order.", valueName: "n"))
    var first = 1

    @Option(help: ArgumentHelp("How many customers are there at once.", valueName: "n"))
    var concurrency = 100

    @Option(help: ArgumentHelp("How long the shop may be away, and an order may take.", valueName: "time"))
    var timeout = DurationArgument(.seconds(120))

    @Option(help: ArgumentHelp("How many pieces of each article the stock began with.", valueName: "n"))
    var pieces = 1000

    @Option(help: ArgumentHelp("The ledger of the pool stock.", valueName: "file"))
    var stock = "stock.ledger"

    @Option(help: ArgumentHelp("The ledger of the pool payments.", valueName: "file"))
    var payments = "payments.ledger"

    @Option(help: ArgumentHelp("The ledger of the pool shipping.", valueName: "file"))
    var shipping = "shipping.ledger"

    @Flag(inversion: .prefixedNo, help: "Compare all orders of the shop with the ledgers at the end.")
    var audit = true

    @Flag(help: "Print one line of JSON.")
    var json = false

    static func main() async {
        StandardOutput.checkAtExit()
        await main(nil)
    }

    func validate() throws {
        try check("--orders", orders, 1...10_000_000)
        try check("--first", first, 1...1_000_000_000)
        try check("--concurrency", concurrency, 1...1000)
        try check("--pieces", pieces, 0...1_000_000_000)
        guard http.map({ URL(string: $0)?.scheme == "http" }) ?? true else {
            throw ValidationError("--http must be a URL such as http://127.0.0.1:8080, not “\(http ?? "")”.")
        }
    }

    private func check(_ option: String, _ value: Int, _ range: ClosedRange<Int>) throws {
        guard range.contains(value) else {
            throw ValidationError(
                "\(option) must be a number from \(range.lowerBound) to \(range.upperBound), not \(value).")
        }
    }

    func run() async throws {
        try await FleetExit.reporting {
            // Before the load: a wrong path would show only after it.
            let ledgers = audit ? try Ledgers(stock: stock, payments: payments, shipping: shipping) : nil
            let connect = try FleetEnvironment.value(
                commandLineConnect, "MOBIUS_CONNECT_CLIENT", default: FleetClient.defaultEndpoint)
            let client = FleetClient(connect: connect, timeout: timeout.duration)
            let gateway = http.map { HTTPShop($0, connections: concurrency, patience: timeout.duration) }
            let outcome: Result<LoadReport, any Error>
            do { outcome = .success(try await report(client, gateway, ledgers)) } catch { outcome = .failure(error) }
            gateway?.close()
            await client.close()
            try conclude(outcome)
        }
    }

    private func conclude(_ outcome: Result<LoadReport, any Error>) throws {
        switch outcome {
        case .failure(let exit as FleetExit): throw exit
        case .failure(let error): throw FleetExit(.unavailable, "\(error)")
        case .success(let report):
            print(json ? try report.json() : report.text)
            if !report.complaints.isEmpty { throw FleetExit(.negativeAnswer, "") }
        }
    }

    private func report(_ client: FleetClient, _ gateway: HTTPShop?, _ ledgers: Ledgers?) async throws -> LoadReport {
        let direct = ClientShop(client: client, patience: timeout.duration)
        let load = LoadRun(
            orders: first...(first + orders - 1), concurrency: concurrency,
            shops: [direct] + (gateway.map { [$0] } ?? []))
        let start = ContinuousClock.now
        let visits = try await load.run()
        let time = ContinuousClock.now - start
        let audit = ShopAudit(client: client, patience: timeout.duration, concurrency: concurrency)
        var findings: ShopAudit.Findings?
        if let ledgers { findings = try await audit.findings(visits, ledgers, pieces: pieces) }
        return LoadReport(visits: visits, time: time, findings: findings)
    }
}
