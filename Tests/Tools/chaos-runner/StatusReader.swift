import BankFleet
import FleetTestSupport
import Foundation

/// Reads what coordinators answer to `status`, one after the other.
struct StatusReader {
    private var coordinator: Int32 = 0
    private var heard = 0
    /// The newest answer.
    private(set) var status: BankStatus?

    mutating func listen(to process: TestProcess) {
        if coordinator != process.pid { (coordinator, heard) = (process.pid, 0) }
        let lines = process.output.elements
        guard lines.count > heard else { return }
        if let line = lines[heard...].last(where: { $0.hasPrefix("status ") }) {
            status = try? JSONDecoder().decode(BankStatus.self, from: Data(line.dropFirst(7).utf8))
        }
        heard = lines.count
    }
}
