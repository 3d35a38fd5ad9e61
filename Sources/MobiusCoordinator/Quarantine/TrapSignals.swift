import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Detects that a thread traps while it applies an event: marks the thread's byte, and forwards the signal.
///
/// Earlier handlers of these signals still run, so backtraces and exit statuses do not change. The handlers are
/// installed once per process, with the first watched thread, and are never removed.
enum TrapSignals {
    /// The signals that a program's own errors raise; SIGKILL and SIGTERM are sent by others.
    static let numbers: [CInt] = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT]

    /// A thread whose traps are detected for as long as this value exists.
    struct Watch: ~Copyable {
        private let index: Int
        private let stack: AlternateStack?

        /// Watches the calling thread: when it traps while `state` is 1, `state` becomes 2.
        ///
        /// Release the value on the same thread.
        ///
        /// - Parameter state: A byte in shared memory, which outlives the process.
        init(state: UnsafeMutablePointer<UInt8>) {
            stack = AlternateStack()
            index = TrapSignals.add(state)
        }

        deinit {
            TrapSignals.remove(index)
            stack?.release()
        }
    }

    private static let installed = Mutex(false)

    private static func add(_ state: UnsafeMutablePointer<UInt8>) -> Int {
        installed.withLock { isInstalled in
            guard let index = (0..<TrapTable.capacity).first(where: { trapTable.entries[$0].state == nil }) else {
                preconditionFailure(
                    "At most \(TrapTable.capacity) threads of a process can apply events with a journal.")
            }
            trapTable.entries[index].thread = currentThread()
            trapTable.entries[index].state = state
            if !isInstalled { install() }
            isInstalled = true
            return index
        }
    }

    private static func remove(_ index: Int) {
        installed.withLock { _ in trapTable.entries[index].state = nil }
    }

    private static func install() {
        for number in numbers {
            var action = sigaction()
            // On the alternate stack if there is one, because the thread's own stack may have overflowed. A trap inside
            // the handler is forwarded directly to the earlier handler.
            action.sa_flags = CInt(bitPattern: UInt32(truncatingIfNeeded: SA_SIGINFO | SA_ONSTACK | SA_NODEFER))
            #if canImport(Darwin)
                action.__sigaction_u.__sa_sigaction = { noticeTrap($0, $1, $2) }
            #else
                action.__sigaction_handler.sa_sigaction = { noticeTrap($0, $1, $2) }
            #endif
            sigaction(number, &action, &trapTable.previous[Int(number)])
        }
    }
}

/// The handler's data: allocated once and never freed, so that the handler needs no lock, allocation or reference.
private struct TrapTable {
    static let capacity = 512

    struct Entry {
        var thread: UInt = 0
        var state: UnsafeMutablePointer<UInt8>?
    }

    let entries: UnsafeMutablePointer<Entry>
    let previous: UnsafeMutablePointer<sigaction>

    init() {
        entries = .allocate(capacity: Self.capacity)
        entries.initialize(repeating: Entry(), count: Self.capacity)
        previous = .allocate(capacity: 65)
        previous.initialize(repeating: sigaction(), count: 65)
    }
}

// Unsafe, because a signal handler cannot take a lock. A thread writes only the entry that it owns or takes over, and
// a handler changes only the state of its own thread's entry.
nonisolated(unsafe) private let trapTable = TrapTable()

private func currentThread() -> UInt {
    #if canImport(Glibc)
        UInt(pthread_self())
    #else
        UInt(bitPattern: pthread_self())
    #endif
}

/// The signal handler; async-signal-safe: it only accesses memory, and calls nothing that locks or allocates.
private func noticeTrap(
    _ number: CInt, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
) {
    if isOwnError(info) {
        let thread = currentThread()
        for index in 0..<TrapTable.capacity {
            let entry = trapTable.entries + index
            guard let state = entry.pointee.state, entry.pointee.thread == thread else { continue }
            if state.pointee == 1 { state.pointee = 2 }
        }
    }
    passOn(number, info, context)
}

/// Whether this process caused the signal, and no other process sent it with `kill`.
private func isOwnError(_ info: UnsafeMutablePointer<siginfo_t>?) -> Bool {
    guard let info else { return true }
    if info.pointee.si_code > 0 { return true }  // by the kernel
    #if canImport(Glibc)
        return info.pointee._sifields._kill.si_pid == getpid()  // by abort()
    #elseif canImport(Darwin)
        return info.pointee.si_pid == getpid() || info.pointee.si_pid == 0
    #else
        return true
    #endif
}

private func passOn(
    _ number: CInt, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
) {
    let previous = trapTable.previous + Int(number)
    #if canImport(Darwin)
        let (simple, full) = (
            previous.pointee.__sigaction_u.__sa_handler, previous.pointee.__sigaction_u.__sa_sigaction
        )
    #else
        let (simple, full) = (
            previous.pointee.__sigaction_handler.sa_handler, previous.pointee.__sigaction_handler.sa_sigaction
        )
    #endif
    let address = unsafeBitCast(simple, to: UInt.self)
    if address > 1 {
        if previous.pointee.sa_flags & CInt(SA_SIGINFO) != 0 {
            full?(number, info, context)
        } else {
            simple?(number)
        }
        return
    }
    guard address == 0 || info.map({ $0.pointee.si_code > 0 }) ?? true else { return }  // ignored
    sigaction(number, previous, nil)
    // The failed instruction is repeated and fails without this handler, so a core file shows its address. Signals that
    // do not repeat are raised again.
    if number == SIGTRAP || number == SIGABRT || info.map({ $0.pointee.si_code <= 0 }) ?? false {
        raise(number)
    }
}

/// A stack for the signal handlers of one thread, needed when the thread's own stack has overflowed.
struct AlternateStack {
    private static let size = 64 << 10

    private let memory: UnsafeMutableRawPointer

    /// Installs an alternate stack for the calling thread; `nil` if it already has one or none can be allocated.
    init?() {
        var current = stack_t()
        guard sigaltstack(nil, &current) == 0, current.ss_flags & CInt(SS_DISABLE) != 0,
            let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            memory != MAP_FAILED
        else { return nil }
        self.memory = memory
        var stack = stack_t()
        stack.ss_sp = memory
        stack.ss_size = Self.size
        sigaltstack(&stack, nil)
    }

    /// Removes and frees the stack if called on its thread; otherwise does nothing, because its thread may still need
    /// it.
    func release() {
        var current = stack_t()
        guard sigaltstack(nil, &current) == 0, current.ss_sp == memory else { return }
        var none = stack_t()
        none.ss_flags = CInt(SS_DISABLE)
        sigaltstack(&none, nil)
        munmap(memory, Self.size)
    }
}
