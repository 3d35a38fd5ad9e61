#if MOBIUS_THREAD_SANITIZER
    import Foundation

    /// A lock that ThreadSanitizer supports; used in its builds only (`Tests/run sanitize`).
    ///
    /// `Mutex` waits inside a library that is not instrumented, so on Linux everything it protects looks like a race.
    /// Sendable, because the value is accessed only with the lock held.
    @usableFromInline
    package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        private let lock = NSLock()
        private let value: UnsafeMutablePointer<Value>

        /// A lock that protects `value`.
        @usableFromInline
        package init(_ value: consuming sending Value) {
            self.value = .allocate(capacity: 1)
            self.value.initialize(to: value)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
        }

        /// Calls `body` with the value, exclusively.
        @usableFromInline
        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            lock.lock()
            defer { lock.unlock() }
            return try body(&value.pointee)
        }
    }
#else
    public import Synchronization

    /// The lock that this room uses: `Mutex`, except under ThreadSanitizer.
    @usableFromInline
    package typealias Lock = Mutex
#endif
