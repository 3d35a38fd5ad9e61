import MobiusEngine
import MobiusTransport

// The end of a run.
extension CoordinatorEdge {
    /// Keeps the socket open for 200 ms after ``run()``, so that workers can read the goodbye.
    ///
    /// When a connection ends, the worker's socket drops unread messages: on a busy machine, one in five goodbyes.
    func waitForReaders() throws {
        guard driver.machine.workerCount > 0 else { return }
        var poller = Poller()
        try poller.wait(timeout: .milliseconds(200))
    }
}
