import MobiusEngine
import ZeroMQ

// How it ends.
extension CoordinatorEdge {
    /// After ``run()``: keeps the socket open for a moment, so that workers read the goodbye.
    ///
    /// When a connection ends, a worker's socket drops what it has not read: on a busy machine one goodbye in five was
    /// lost.
    func waitForReaders() throws {
        guard driver.machine.workerCount > 0 else { return }
        var poller = Poller()
        try poller.wait(timeout: .milliseconds(200))
    }
}
