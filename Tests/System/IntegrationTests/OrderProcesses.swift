import FleetTestSupport
import Foundation
import OrderLedgers
import Orders

/// The processes of the shop, in a folder with its journal and its ledgers.
final class OrderProcesses {
    let folder: TestFolder
    private(set) var coordinator: TestProcess
    private(set) var workers: [TestProcess] = []
    /// Serves the loops over HTTP.
    private let serve: ServeProcess
    var web: String { "http://\(serve.address)" }
    private let pieces: Int
    private let options: [String]

    var clients: String { "ipc://\(folder.file("s"))-client" }

    /// Starts the coordinator, and a worker of each pool.
    ///
    /// - Parameters:
    ///   - pieces: How many pieces of each article are in stock.
    ///   - payments: Options of the payment workers.
    init(pieces: Int, payments options: [String] = []) async throws {
        (self.pieces, self.options) = (pieces, options)
        folder = try TestFolder()
        coordinator = try Self.coordinator(folder)
        try await coordinator.log("listening")
        serve = try await ServeProcess(of: "ipc://\(folder.file("s"))-client")
        workers = try startWorkers()
        // Their ledgers are there then.
        for worker in workers { try await worker.log("joined the coordinator") }
    }

    private static func coordinator(_ folder: TestFolder) throws -> TestProcess {
        try TestProcess("orders-coordinator", ["--bind", "ipc://\(folder.file("s"))"], in: folder.path)
    }

    private func startWorkers() throws -> [TestProcess] {
        let pools = [("stock", ["--pieces", "\(pieces)"]), ("payments", options), ("shipping", [])]
        return try pools.map { pool, options in
            try TestProcess(pool, ["--connect", "ipc://\(folder.file("s"))"] + options, in: folder.path)
        }
    }

    func killCoordinator() async throws {
        try await coordinator.kill()
        coordinator = try Self.coordinator(folder)
    }

    func killWorkers() async throws {
        for worker in workers { try await worker.kill() }
        workers = try startWorkers()
    }

    func end() async throws {
        for process in workers + [coordinator] { try await process.kill() }
    }

    func ledger(_ pool: String) throws -> LedgerFile { try LedgerFile(path: folder.file("\(pool).ledger")) }
}
