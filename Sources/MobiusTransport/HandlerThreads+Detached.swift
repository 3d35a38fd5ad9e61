package import MobiusRuntime
import ZeroMQ

extension HandlerThreads {
    /// Creates a pool of detached threads, which are started on demand.
    ///
    /// - Parameter limit: the number of jobs that may run at once, at least 1.
    package convenience init(name: String, limit: Int) {
        self.init(name: name, limit: limit) { DetachedThread.start(named: name, $0) }
    }
}
