import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Notices that a thread traps while it applies an event: marks a byte of the thread's, and passes the signal on.
///
/// Whoever handled these signals before still does, so backtraces and exit statuses stay what they were. Handlers are
/// installed once per process, with the first watched thread, and stay.
enum TrapSignals {
    /// How a program ends by its own mistake; SIGKILL and SIGTERM are other people's.
    static let numbers: [CInt] = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT]

    /// A thread whose traps are noticed, for as long as this value lives on.
    struct Watch: ~Copyable {
        private let index: Int
        private let stack: AlternateStack?

        /// Watches the calling thread, on which it should also be let go: when it traps while `state` is 1, `state`
        /// becomes 2.
        ///
        /// - Parameter state: A byte in shared memory, which outlives the process.
        init(state: UnsafeMutablePointer<UInt8>) {
            stack = AlternateStack()
            index = TrapSignals.add(state)
        }

        /// Watches the calling thread from now on, which traps instead of the one before.
        func moveHere() {
            let thread = currentThread()
            if trapTable.entries[index].thread != thread { trapTable.entries[index].thread = thread }
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
                    "No more than \(TrapTable.capacity) threads of a process apply events with a journal.")
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
            // On a stack of their own, where there is one: a thread whose stack is used up has no other. A trap inside
            // the handler goes straight on to the one before.
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

/// What the handler reads: allocated once and never freed, so that it needs no lock, no allocation and no reference.
private struct TrapTable {
    static let capacity = 64

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

// Unsafe, because a signal handler can take no lock. An entry is written by the thread whose it is, or becomes; a handler
// changes the entry of its own thread only.
nonisolated(unsafe) private let trapTable = TrapTable()

private func currentThread() -> UInt {
    #if canImport(Glibc)
        UInt(pthread_self())
    #else
        UInt(bitPattern: pthread_self())
    #endif
}

/// The handler: async-signal-safe, so it reads and writes memory, and calls nothing that locks or allocates.
private func noticeTrap(
    _ number: CInt, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
) {
    if isOwnMistake(info) {
        let thread = currentThread()
        for index in 0..<TrapTable.capacity {
            let entry = trapTable.entries + index
            guard let state = entry.pointee.state, entry.pointee.thread == thread else { continue }
            if state.pointee == 1 { state.pointee = 2 }
        }
    }
    passOn(number, info, context)
}

/// Not a signal that somebody else sent, with `kill`.
private func isOwnMistake(_ info: UnsafeMutablePointer<siginfo_t>?) -> Bool {
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
    // Back to the instruction that failed, which fails again, now without a handler: so a core file shows its place.
    // What does not repeat itself is raised again.
    if number == SIGTRAP || number == SIGABRT || info.map({ $0.pointee.si_code <= 0 }) ?? false {
        raise(number)
    }
}

/// A stack for signal handlers of one thread, which has no room on its own when it recursed without end.
struct AlternateStack {
    private static let size = 64 << 10

    private let memory: UnsafeMutableRawPointer

    /// Gives the calling thread one, unless it has one.
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

    /// Takes it back, on its thread; on another one it stays, because its thread may need it yet.
    func release() {
        var current = stack_t()
        guard sigaltstack(nil, &current) == 0, current.ss_sp == memory else { return }
        var none = stack_t()
        none.ss_flags = CInt(SS_DISABLE)
        sigaltstack(&none, nil)
        munmap(memory, Self.size)
    }
}
