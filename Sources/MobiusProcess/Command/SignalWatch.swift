@preconcurrency import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Catches Unix signals of this process and counts them, until it is released.
///
/// While it exists, the signals do not end the process. Its own serial queue calls the closure, so it works even when
/// every thread of Swift's pool is stuck; a handler for a second signal may end the process there and then.
public final class SignalWatch: Sendable {
    // Immutable after init; DispatchSource is not yet marked Sendable everywhere, hence @preconcurrency above.
    private let sources: [any DispatchSourceSignal]

    /// Starts watching; when it returns, the signals are caught.
    ///
    /// - Parameters:
    ///   - signals: Signal numbers, such as `[SIGTERM, SIGINT]`. Only one watch per signal at a time.
    ///   - onSignal: Gets the signal's number and the count of watched signals so far, from 1. Signals of the same
    ///     number that arrive while one is still undelivered count once, as Unix merges them.
    public init(_ signals: [Int32], onSignal: @escaping @Sendable (_ signal: Int32, _ count: Int) -> Void) {
        let queue = DispatchQueue(label: "mobius.signals")
        let count = Counter()
        let registered = DispatchGroup()
        sources = signals.map { number in
            #if canImport(Darwin)
                // kqueue reports signals in addition to the default action, which would still end the process. On Linux
                // libdispatch installs its own handler, and an ignored signal would never arrive.
                signal(number, SIG_IGN)
            #endif
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { onSignal(number, count.next()) }
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.activate()
            return source
        }
        // Until then a signal still ends the process. The queue is new and private, so this takes microseconds.
        registered.wait()
    }

    deinit {
        sources.forEach { $0.cancel() }
    }

    private final class Counter: Sendable {
        private let value = Mutex(0)

        func next() -> Int {
            value.withLock { value in
                value += 1
                return value
            }
        }
    }
}
