import Dispatch
import FleetTestSupport
import Testing

/// Holds async code until it is opened; cancellation does not open it.
final class Latch: Sendable {
    private let opened = Recorder<Void>()

    func open() { opened.record(()) }

    /// Waits until it is open, or gives up when ``PatientWait`` does.
    func wait() async {
        let wait = PatientWait()
        while opened.values.isEmpty, !wait.isOver { await Task.yield() }
    }
}
