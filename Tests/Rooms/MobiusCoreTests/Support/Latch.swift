import Dispatch
import Testing

/// Holds async code until it is opened; cancellation does not open it.
final class Latch: Sendable {
    private let opened = Recorder<Void>()

    func open() { opened.record(()) }

    /// Waits until it is open, or gives up after a minute.
    func wait() async {
        let end = ContinuousClock.now + .seconds(60)
        while opened.values.isEmpty, ContinuousClock.now < end { await Task.yield() }
    }
}

extension DispatchSemaphore {
    /// Waits for a signal; `false` if none comes within a minute.
    func waitAMinute() -> Bool { wait(timeout: .now() + 60) == .success }
}
