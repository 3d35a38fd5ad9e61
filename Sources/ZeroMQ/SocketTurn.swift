import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Whose turn it is to use a group of sockets: one thread's at a time.
///
/// libzmq's sockets may go from thread to thread where a lock stands in between; this is that lock. A thread that waits for
/// the sockets with a ``Poller`` gives its turn away while it sleeps. Another one that has something for them can then
/// take the turn and act at once, instead of waking that thread and waiting until it runs.
///
/// ```swift
/// let turn = SocketTurn()  // the calling thread's
/// let socket = try context.socket(.router, turn: turn)
/// ```
///
/// ```swift
/// if turn.tryTake() {  // on another thread
///     try send(socket)
///     let isReadable = try socket.isReadable
///     turn.give()
///     if isReadable { wakeUp.signal() }  // else the sleeper might not see what came meanwhile
/// }
/// ```
/// libzmq tells a sleeping thread of a message once, and forgets that when anybody uses the socket: so whoever took a turn
/// **asks every socket that it used whether it is readable now**, and wakes the sleeper if one is.
public final class SocketTurn: Sendable {
    /// The thread whose turn it is, or 0.
    private let holder: Atomic<UInt>
    // A pthread lock is used in place, so it has an address of its own; nothing but the functions below reaches it.
    nonisolated(unsafe) private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Whether others may have it at all.
    let isShared: Bool

    /// Makes one that the calling thread has, for sockets that it is about to make.
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
        // Whoever has the last turn may keep it for good; a lock that is held cannot be destroyed.
        if isMine || pthread_mutex_trylock(mutex) == 0 {
            pthread_mutex_unlock(mutex)
            pthread_mutex_destroy(mutex)
        }
        mutex.deallocate()
    }

    /// Whether it is the calling thread's.
    @inline(__always)
    var isMine: Bool { holder.load(ordering: .relaxed) == ThreadIdentity.current.rawValue }

    /// Waits until nobody has it, and takes it; whoever has it must not.
    public func take() {
        pthread_mutex_lock(mutex)
        holder.store(ThreadIdentity.current.rawValue, ordering: .relaxed)
    }

    /// Takes it if nobody has it.
    public func tryTake() -> Bool {
        guard pthread_mutex_trylock(mutex) == 0 else { return false }
        holder.store(ThreadIdentity.current.rawValue, ordering: .relaxed)
        return true
    }

    /// Gives it back; only on the thread that has it.
    public func give() {
        if !isMine { Socket.crashOnWrongThread() }
        holder.store(0, ordering: .relaxed)
        pthread_mutex_unlock(mutex)
    }
}
