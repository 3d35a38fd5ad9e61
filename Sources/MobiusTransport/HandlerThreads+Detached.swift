package import MobiusRuntime
import ZeroMQ

extension HandlerThreads {
    /// A pool of detached threads, without any yet; they come with the first jobs.
    ///
    /// - Parameter limit: how many jobs may run at once, at least 1.
    package convenience init(name: String, limit: Int) {
        self.init(name: name, limit: limit) { DetachedThread.start(named: name, $0) }
    }
}
