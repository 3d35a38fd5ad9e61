import Bank
import BankFleet
import FleetTestSupport
import Foundation

/// The bank's processes: a coordinator, a wire before it, workers behind the wire.
final class Company {
    let coordinator: Slot
    let wire: Slot
    let workers: [Slot]
    private let folder: String
    /// Where customers reach the coordinator.
    let clientEndpoint: String

    init(in folder: String, workers count: Int, work: Int, children: Children) async throws {
        self.folder = folder
        signal(SIGPIPE, SIG_IGN)
        let endpoint = "ipc://\(folder)/s"
        clientEndpoint = endpoint + "-client"
        coordinator = Slot("coordinator", children: children) {
            try TestProcess(
                "bank-coordinator",
                [
                    "--bind", endpoint, "--journal", "\(folder)/journal", "--pace", "5", "--end-with-input",
                    "--attempts", "10000", "--timeout", "600",
                ], input: .pipe)
        }
        // The first wire chooses the port, and its successors take it.
        let first = try await FaultyWire(to: endpoint)
        let outside = first.endpoint
        try await first.process.kill()
        wire = Slot("wire", children: children) {
            try TestProcess("fault-proxy", ["--listen", outside, "--target", endpoint], input: .pipe)
        }
        workers = (1...count).map { number in
            Slot("worker-\(number)", children: children) {
                try TestProcess(
                    "bank-worker",
                    [
                        "--connect", outside, "--ledger", "\(folder)/worker-\(number).ledger", "--pace", "5",
                        "--end-with-input", "--work", "\(work)",
                    ], input: .pipe)
            }
        }
        for slot in slots { try slot.start() }
    }

    var slots: [Slot] { [coordinator, wire] + workers }

    /// Tells the wire, if it is there.
    func tellWire(_ line: String) {
        guard wire.state == .up else { return }
        try? wire.process?.type(line + "\n")
    }

    /// What all ledgers hold.
    func ledgers() throws -> [Ledger.Row] {
        try workers.flatMap { try Ledger(path: "\(folder)/\($0.name).ledger").rows(worker: $0.name) }
    }

    /// How many bytes the files have whose names begin so.
    func size(of name: String) -> Int {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasPrefix(name) }.reduce(0) { sum, file in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")
            return sum + ((attributes?[.size] as? NSNumber)?.intValue ?? 0)
        }
    }

    func journal() throws -> JournalAudit {
        try JournalAudit(path: "\(folder)/journal")
    }

    /// Lets the product compare the journal with its own snapshots.
    func verify() async throws -> [String] {
        let process = try TestProcess("bank-coordinator", ["--journal", "\(folder)/journal", "--verify"])
        let end = try await process.end()
        return end == .exited(0) ? [] : ["--verify ended with \(end): \(process.errors.elements.suffix(3))"]
    }

    /// Puts what everybody said beside the other files.
    func writeLogs() {
        for slot in slots {
            let lines = slot.log + (slot.process?.errors.elements ?? [])
            let text = lines.joined(separator: "\n") + "\n"
            try? Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(slot.name).log"))
        }
    }
}
