#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A detached thread of the operating system.
package enum DetachedThread {
    /// As much as a main thread has; user code runs on these.
    private static let stackSize = 8 << 20

    /// Runs `body` on a new thread; crashes with a message if the system refuses one.
    package static func run(named name: String, _ body: @escaping @Sendable () -> Void) {
        guard start(named: name, body) else {
            fatalError("The system refused a thread for \"\(name)\": raise its limit (ulimit -u, or pids.max).")
        }
    }

    /// Runs `body` on a new thread.
    ///
    /// - Returns: whether the system allowed the thread.
    package static func start(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackSize)
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        let box = Unmanaged.passRetained(Body(name: name, run: body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let isStarted = pthread_create(&thread, &attributes, { DetachedThread.main($0) }, box.toOpaque()) == 0
        if !isStarted { box.release() }
        return isStarted
    }

    private static func main(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
        nameCurrentThread(body.name)
        body.run()
        return nil
    }

    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }
}
