import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Lets one thread at a time use a group of sockets.
///
/// A socket of libzmq may be used by several threads if a lock separates their uses; this is that lock. A thread that waits
/// with a ``Poller`` releases it while it sleeps. Another thread can then hold it and use the sockets at once, instead of
/// waking the sleeping thread.
///
/// ```swift
/// let lock = SocketLock()  // the calling thread's
/// let socket = try context.socket(.router, lock: lock)
/// ```
///
/// ```swift
/// if lock.tryLock() {  // on another thread
///     try send(socket)
///     let isReadable = try socket.isReadable
///     lock.unlock()
///     if isReadable { wakeUp.signal() }  // else the sleeper might not see what came meanwhile
/// }
/// ```
/// libzmq signals a message to a sleeping thread once, and any use of the socket clears that signal. So a thread that held
/// the lock **must ask every socket that it used whether it is readable now**, and wake the sleeping thread if one is.
public final class SocketLock: Sendable {
    /// The thread that holds it, or 0.
    private let holder: Atomic<UInt>
    // A pthread lock is used in place, so it has an address of its own; nothing but the functions below reaches it.
    nonisolated(unsafe) private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Whether other threads may ever hold it.
    let isShared: Bool

    /// Makes one that the calling thread holds, for sockets that it is about to make.
    public convenience init() {
        self.init(isShared: true)
    }

    init(isShared: Bool) {
        self.isShared = isShared
        holder = Atomic(ThreadIdentity.current.rawValue)
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        pthread_mutex_lock(mutex)
    }

    deinit {
        // The last holder need not release it; a mutex that is held cannot be destroyed.
        if isHeld || pthread_mutex_trylock(mutex) == 0 {
            pthread_mutex_unlock(mutex)
            pthread_mutex_destroy(mutex)
        }
        mutex.deallocate()
    }

    /// Whether the calling thread holds it.
    @inline(__always)
    var isHeld: Bool { holder.load(ordering: .relaxed) == ThreadIdentity.current.rawValue }

    /// Waits until no other thread holds it; the calling thread must not hold it.
    public func lock() {
        pthread_mutex_lock(mutex)
        holder.store(ThreadIdentity.current.rawValue, ordering: .relaxed)
    }

    /// Locks it if no thread holds it.
    public func tryLock() -> Bool {
        guard pthread_mutex_trylock(mutex) == 0 else { return false }
        holder.store(ThreadIdentity.current.rawValue, ordering: .relaxed)
        return true
    }

    /// Releases it; on the thread that holds it only.
    public func unlock() {
        if !isHeld { Socket.crashOnWrongThread() }
        holder.store(0, ordering: .relaxed)
        pthread_mutex_unlock(mutex)
    }
}
