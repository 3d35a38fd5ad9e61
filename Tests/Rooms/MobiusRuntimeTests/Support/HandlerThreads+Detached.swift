import MobiusRuntime
import MobiusTransport

extension HandlerThreads {
    /// Creates a pool of detached threads, as workers and coordinators have them.
    convenience init(name: String, limit: Int) {
        self.init(name: name, limit: limit, start: DetachedThread.start(named:_:))
    }
}
